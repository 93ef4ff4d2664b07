import { once } from "node:events";
import { dirname } from "node:path";
import { nodeProgram, ownProcessEnv, SESSION_MARKER } from "../../loopback/environment.ts";
import { launch } from "../../loopback/launch.ts";
import { readLines } from "../../loopback/lines.ts";
import { SqlReply, type SqlTask } from "./protocol.ts";

/** A process that reads one environment for queries, one query at a time. */
export interface SqlChild {
  /** Resolves when it can take a task. @throws Error when it ended instead */
  ready: Promise<void>;
  /** The system has reported its exit. */
  exited: Promise<void>;
  /** @throws Error when it ended before it answered */
  ask(task: SqlTask): Promise<Exclude<SqlReply, { kind: "ready" }>>;
  /** SIGKILL: nothing else ends a query. Await `exited`. */
  kill(): void;
}

/** A reply's rows are bounded by the task; JSON may write each of their characters as six, twice. */
const maxReplyChars = 64 * 1024 * 1024;
const maxLastWordsChars = 2_000;

/** @throws LaunchError */
export function startSqlChild(entry: string, database: string, environmentId: string): SqlChild {
  const program = nodeProgram(entry, [`--database=${database}`, `--environment=${environmentId}`]);
  const session = process.env[SESSION_MARKER];
  const child = launch({
    command: program.command,
    args: program.args,
    cwd: dirname(database),
    env: ownProcessEnv({ extra: program.extra, ...(session === undefined ? {} : { session }) }),
  });
  const exited = once(child, "exit").then(() => {});
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    words = (words + text).slice(-maxLastWordsChars);
  });
  child.stdin.on("error", () => {
    // It is gone; `exited` says so.
  });

  let waiting: { resolve(reply: SqlReply): void; reject(error: Error): void } | undefined;
  const next = () =>
    new Promise<SqlReply>((resolve, reject) => {
      waiting = { resolve, reject };
    });
  readLines(child.stdout, maxReplyChars, (line) => {
    const asked = waiting;
    waiting = undefined;
    if (asked === undefined) return;
    try {
      asked.resolve(SqlReply.parse(JSON.parse(line ?? "")));
    } catch (cause) {
      asked.reject(new Error("the SQL process answered something else than a reply", { cause }));
      child.kill("SIGKILL");
    }
  });
  child.once("close", () => {
    waiting?.reject(new Error(`the SQL process ended: ${words.trim() || "it said nothing"}`));
    waiting = undefined;
  });

  const ready = next().then((reply) => {
    if (reply.kind !== "ready") throw new Error("the SQL process did not say that it is ready");
  });
  ready.catch(() => {
    // Whoever asks hears of it; nobody may be asking.
  });
  return {
    ready,
    exited,
    ask: async (task) => {
      const reply = next();
      child.stdin.write(`${JSON.stringify(task)}\n`);
      const said = await reply;
      if (said.kind === "ready") throw new Error("the SQL process said twice that it is ready");
      return said;
    },
    kill: () => {
      child.kill("SIGKILL");
    },
  };
}
