import { setPriority, constants } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import * as z from "zod/v4";
import { readLines } from "../../loopback/lines.ts";
import { messageOf } from "../errors.ts";
import { SqlTask, type SqlReply } from "./protocol.ts";
import { openReader } from "./reader.ts";
import { SqlRefusal } from "./statement.ts";

/**
 * The process that runs queries from outside. SQLite cannot be interrupted, so the one way to end a query is to end its
 * process: the engine does so at the time limit. Two threads, for while a query runs nothing else does: the first one talks
 * and watches (the engine is still there, the memory), the second one reads.
 */

/** Above this the process ends itself: sorting and aggregation have no other bound. */
const maxMemoryBytes = 384 * 1024 * 1024;
const watchEveryMs = 50;
const maxTaskChars = 4 * 1024 * 1024;

const Where = z.strictObject({ database: z.string().min(1), environment: z.string().min(1) });

function say(reply: SqlReply, then: () => void = () => {}): void {
  process.stdout.write(`${JSON.stringify(reply)}\n`, then);
}

/** At once, whatever the other thread does: `process.exit` would wait for its query. */
const die = () => process.kill(process.pid, "SIGKILL");

function supervise(): void {
  const { values } = parseArgs({
    options: { database: { type: "string" }, environment: { type: "string" } },
  });
  const reader = new Worker(fileURLToPath(import.meta.url), { workerData: Where.parse(values) });
  reader.on("message", (reply: SqlReply) => say(reply));
  reader.on("error", (error) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = 1;
  });
  reader.on("exit", () => process.exit());
  readLines(process.stdin, maxTaskChars, (line) => {
    if (line !== undefined) reader.postMessage(line);
  });
  process.stdin.on("end", die);
  process.stdin.on("error", die);
  setInterval(() => {
    if (process.memoryUsage.rss() <= maxMemoryBytes) return;
    const message = `the query needs more than ${maxMemoryBytes / 1024 / 1024} MiB of memory`;
    say({ kind: "refused", reason: "too-large", message }, die);
  }, watchEveryMs);
}

function serve(): void {
  const { database, environment } = Where.parse(workerData);
  const reader = openReader(database, environment);
  // Of this thread alone on Linux: the one that watches is to be on time. On a busy core a query gets a tenth of what
  // others get, enough for a small one to end.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const answer = (reply: SqlReply) => parentPort?.postMessage(reply);
  parentPort?.on("message", (line: string) => {
    try {
      const { sql, ...limits } = SqlTask.parse(JSON.parse(line));
      answer({ kind: "rows", ...reader.read(sql, limits) });
    } catch (error) {
      const reason = error instanceof SqlRefusal ? error.reason : "failed";
      answer({ kind: "refused", reason, message: messageOf(error) });
    }
  });
  answer({ kind: "ready" });
}

if (isMainThread) supervise();
else serve();
