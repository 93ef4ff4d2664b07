import type { Readable } from "node:stream";

/** A program that has not said `ready` within so many characters is not one of ours. */
const BEFORE_READY_CHARS = 65_536;

/**
 * Waits for the line `<word> {json}` on a child's stdout. What comes after it is read and dropped, so the child never
 * blocks on a full pipe.
 * @param options `word`: what it says before the JSON, usually "ready"
 * @returns the JSON
 * @throws Error with a sentence when the child ends first, the time is over, or the line cannot be read
 */
export async function readyLine(
  stdout: Readable,
  ended: Promise<string>,
  options: { name: string; word: string; withinMs: number; signal: AbortSignal },
): Promise<unknown> {
  const { name, withinMs, signal } = options;
  const start = `${options.word} `;
  const cleanUps: (() => void)[] = [];
  try {
    return await new Promise<unknown>((resolve, reject) => {
      const onAbort = () => reject(new Error(`The ${name} was stopped while it started.`));
      signal.addEventListener("abort", onAbort, { once: true });
      cleanUps.push(() => signal.removeEventListener("abort", onAbort));
      if (signal.aborted) onAbort();
      const timer = setTimeout(() => {
        reject(new Error(`The ${name} was not ready within ${withinMs / 1000} s.`));
      }, withinMs);
      cleanUps.push(() => clearTimeout(timer));
      void ended.then((sentence) => reject(new Error(sentence))); // `ended` never rejects

      let text = "";
      const onData = (chunk: string) => {
        text += chunk;
        for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n")) {
          const line = text.slice(0, end).trim();
          text = text.slice(end + 1);
          if (line.startsWith(start)) return settle(line.slice(start.length), resolve, reject, name);
        }
        if (text.length > BEFORE_READY_CHARS)
          reject(new Error(`The ${name} said too much before it was ready.`));
      };
      stdout.setEncoding("utf8").on("data", onData);
      cleanUps.push(() => stdout.off("data", onData));
    });
  } finally {
    for (const cleanUp of cleanUps) cleanUp();
    stdout.resume();
  }
}

function settle(
  json: string,
  resolve: (value: unknown) => void,
  reject: (cause: Error) => void,
  name: string,
) {
  try {
    resolve(JSON.parse(json));
  } catch (cause) {
    reject(new Error(`The ${name} said "ready" without readable JSON.`, { cause }));
  }
}
