import { once } from "node:events";
import { LineSplitter } from "../../client/frames.ts";
import { log } from "../log.ts";
import { AppLink, TokenRefused } from "./app-link.ts";
import { NoApp } from "./find-app.ts";
import { Relay } from "./relay.ts";

/** Longest message that an agent may send, in bytes: what the app's endpoint takes. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;
/** How long the app may take to be told that the agent has gone, in ms. */
const GOODBYE_MS = 1_000;

/** 3: try again once the app runs. 5: the token. */
const EXIT = { ok: 0, broke: 1, noApp: 3, badInput: 4, refused: 5 } as const;

export interface AttachOptions {
  readonly connectionFile: string;
  /** The agent's own token; it goes into a header and nowhere else. */
  readonly token: string;
}

/**
 * Serves one agent on stdin and stdout by the running app's endpoint, until stdin ends. Why it cannot is one sentence on
 * stderr.
 * @returns the exit code
 */
export async function attach({ connectionFile, token }: AttachOptions): Promise<number> {
  const ended = new AbortController();
  let code: number = EXIT.ok;
  const end = (with_: number) => {
    if (ended.signal.aborted) return;
    code = with_;
    ended.abort();
  };
  const link = new AppLink(connectionFile, token, ended.signal);
  try {
    await link.check();
  } catch (cause) {
    if (cause instanceof TokenRefused) return fail(cause.message, EXIT.refused);
    if (cause instanceof NoApp) return fail(cause.message, EXIT.noApp);
    return fail("Ironbridge does not answer; start the app again.", EXIT.noApp);
  }
  const relay = new Relay({
    link,
    write,
    ended: ended.signal,
    onRefused(error) {
      log(error.message);
      end(EXIT.refused);
    },
  });
  process.once("SIGTERM", () => end(EXIT.ok));
  process.once("SIGINT", () => end(EXIT.ok));
  process.stdout.once("error", () => end(EXIT.broke));
  const lines = new LineSplitter(MAX_MESSAGE_BYTES);
  process.stdin.on("data", (chunk: Buffer) => {
    try {
      for (const line of lines.push(chunk))
        if (line.toString("utf8").trim() !== "") void relay.take(line.toString("utf8")); // never rejects
    } catch (cause) {
      log(cause instanceof Error ? cause.message : String(cause));
      end(EXIT.badInput);
    }
  });
  process.stdin.once("end", () => end(EXIT.ok));
  process.stdin.once("close", () => end(EXIT.ok));
  await new Promise<void>((done) => ended.signal.addEventListener("abort", () => done(), { once: true }));
  await link.goodbye(AbortSignal.timeout(GOODBYE_MS)).catch(() => {
    // An app that is gone as well has nothing to forget.
  });
  return code;
}

function fail(sentence: string, code: number): number {
  log(sentence);
  return code;
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(`${text}\n`)) await once(process.stdout, "drain");
}
