// What Chromium says about a machine without a message bus, a graphics card or a desktop: the app needs none of them,
// and the lines look like failures. Exactly these are left out of the app's stderr, unless Chromium's log was asked for.

/** Longer lines are passed on in pieces, unread. */
const LINE_CHARS = 16_384;

/** The head of every line of Chromium's: [pid:date/time:LEVEL:file(line)], or file:line in newer ones. */
const HEAD = /^\[\d+:\d{4}\/\d{6}\.\d+:(?:ERROR|WARNING):(?:[\w/]+\/)?/.source;

const HARMLESS = [
  // No D-Bus: containers and servers have none.
  /bus\.cc[(:]\d+\)?\] Failed to connect to the bus: /,
  /object_proxy\.cc[(:]\d+\)?\] Failed to call method: org\.freedesktop\./,
  // No graphics card: Chromium starts once more and draws with the processor.
  /viz_main_impl\.cc[(:]\d+\)?\] Exiting GPU process due to errors during initialization/,
].map((line) => new RegExp(HEAD + line.source));

/** @param {string} line */
export function isHarmless(line) {
  return HARMLESS.some((pattern) => pattern.test(line));
}

/**
 * Passes the app's stderr on, line by line, without the harmless ones.
 * @param {import("node:stream").Readable} stderr
 * @param {string[]} flags of the app: with `--enable-logging` or `--v=N` somebody wants to read everything
 * @param {(text: string) => void} write
 */
export function readChromiumOutput(stderr, flags, write) {
  const everything = flags.some((flag) => /^--(enable-logging|v=|vmodule)/.test(flag));
  let open = "";
  stderr.setEncoding("utf8");
  stderr.on("data", (/** @type {string} */ text) => {
    const lines = (open + text).split("\n");
    open = lines.pop() ?? "";
    for (const line of lines) if (everything || !isHarmless(line)) write(`${line}\n`);
    if (open.length > LINE_CHARS) {
      write(open);
      open = "";
    }
  });
  stderr.on("end", () => {
    if (open !== "" && (everything || !isHarmless(open))) write(`${open}\n`);
  });
}
