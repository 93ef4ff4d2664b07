import { writeSync } from "node:fs";
import { nodeProgram } from "../environment.ts";
import { launch } from "../launch.ts";
import { readProcess, type ProcessId } from "../processes.ts";
import { startReaper } from "../reaper.ts";

/**
 * Stands for the app's main process in reaper.process.test.ts: starts a reaper and, through the launcher, one `sh` per script,
 * then prints one line and waits to be killed. Its only argument is an OwnerOrder as JSON.
 */
export interface OwnerOrder {
  reaperFile: string;
  session: string;
  file: string;
  folder: string;
  scripts: string[];
  /** Are the children recorded, marked, or both? */
  record: boolean;
  mark: boolean;
  /** Recorded besides. */
  alsoRecord: ProcessId[];
}

export interface OwnerReport {
  reaper: number;
  children: number[];
  /** What `record` said about `alsoRecord`. */
  held: boolean[];
}

async function main(order: OwnerOrder): Promise<void> {
  const { session, file, folder } = order;
  const reaper = await startReaper({ program: nodeProgram(order.reaperFile), session, file });
  const plain = { PATH: "/usr/local/bin:/usr/bin:/bin", DIR: folder };
  const env: Record<string, string> = order.mark ? { ...plain, IRONBRIDGE_SESSION: session } : plain;
  const children: number[] = [];
  for (const script of order.scripts) {
    const stdio = ["ignore", "ignore", "ignore"] as const;
    const { pid = 0 } = launch({ command: "sh", args: ["-c", script], cwd: "/", env, stdio });
    const row = await readProcess(pid);
    if (order.record && row !== undefined) await reaper.record(row);
    children.push(pid);
  }
  const held: boolean[] = [];
  for (const id of order.alsoRecord) held.push(await reaper.record(id));
  const report: OwnerReport = { reaper: reaper.pid(), children, held };
  writeSync(1, `${JSON.stringify(report)}\n`);

  // Any word on stdin: leave in an orderly way.
  await new Promise((resolve) => process.stdin.once("data", resolve));
  writeSync(1, `${JSON.stringify(await reaper.close())}\n`);
  process.exit(0);
}

void main(JSON.parse(process.argv[2] ?? "") as OwnerOrder); // a rejection ends the process, and the test sees it
