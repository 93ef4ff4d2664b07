import { systemClock } from "../../loopback/clock.ts";
import { ScriptFolder } from "../script-folder.ts";
import { Sessions } from "../sessions.ts";

/** Prints one line of a soak's report. */
export const say = (line: string) => process.stdout.write(`${line}\n`);

/** Runs a soak on sessions of its own and closes them; the process exits with 1 when the soak fails. */
export function runSoak(soak: (sessions: Sessions) => Promise<void>): void {
  withSessions(soak).catch((error: unknown) => {
    process.stderr.write(`soak: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}

async function withSessions(soak: (sessions: Sessions) => Promise<void>): Promise<void> {
  const scripts = await ScriptFolder.create();
  const sessions = new Sessions({
    environment: () => Promise.resolve({ PATH: process.env["PATH"] ?? "/usr/bin:/bin", SHELL: "/bin/sh" }),
    scripts,
    logFolder: scripts.folder,
    marker: "soak-00000000",
    clock: systemClock,
    now: () => new Date(),
    tell: () => {},
    problem: say,
  });
  try {
    await soak(sessions);
  } finally {
    await sessions.shutdown();
    await scripts.dispose();
  }
}
