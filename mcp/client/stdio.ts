import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { parseJSONRPCMessage, type JSONRPCMessage, type Transport } from "@modelcontextprotocol/client";
import { LaunchError, launch, type LaunchOptions } from "../../loopback/launch.ts";
import { signalGroup, taskkillTree } from "../../loopback/signals.ts";
import { stopChild, type StopTimes } from "../../loopback/stop-ladder.ts";
import { LineSplitter, TailBuffer } from "./frames.ts";
import { StdioError, exitSentence, type StdioExit } from "./stdio-error.ts";

export const STDIO_LIMITS = {
  /** Longest message in either direction, without its newline. */
  frameBytes: 4 * 1024 * 1024,
  /** Messages that wait for a child that does not read. */
  sendQueueBytes: 16 * 1024 * 1024,
  /** Lines that are no JSON-RPC before the connection is given up. */
  badLines: 20,
  stderrTailBytes: 64 * 1024,
  /** After the child's exit, for its last answer to come through the pipe. */
  lastAnswerMs: 250,
} as const;

export type StdioOptions = Pick<LaunchOptions, "command" | "args" | "cwd" | "env"> & {
  readonly limits?: Partial<Record<keyof typeof STDIO_LIMITS, number>>;
  readonly stopTimes?: Partial<StopTimes>;
};

/**
 * MCP over the stdio of a child that this side owns: the child leads its own process group and inherits no descriptor
 * above 2; messages, stderr and what waits to be sent are bounded; a send settles when the child is gone; whatever is left
 * of the group ends with the child. Made for one connection: `start` once, then `close` or `killNow`.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;

  readonly #options: StdioOptions;
  readonly #limits: Record<keyof typeof STDIO_LIMITS, number>;
  readonly #lines: LineSplitter;
  readonly #stderr: TailBuffer;
  readonly #sending = new Set<(reason: Error) => void>();
  #child: ChildProcessWithoutNullStreams | undefined;
  #exit: StdioExit | undefined;
  #badLines = 0;
  #over: StdioError | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#limits = { ...STDIO_LIMITS, ...options.limits };
    this.#lines = new LineSplitter(this.#limits.frameBytes);
    this.#stderr = new TailBuffer(this.#limits.stderrTailBytes);
  }

  /** The child's pid, null before `start`. The v2 Client tells a stdio transport by `pid` and `stderr` being there. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** Not a stream: stderr is drained here, see `stderrTail`. */
  get stderr(): null {
    return null;
  }

  get stderrTail(): string {
    return this.#stderr.text();
  }

  /** Why the connection is over, undefined while it is not. */
  get closeReason(): StdioError | undefined {
    return this.#over;
  }

  /** How the child ended, undefined while it runs. */
  get exit(): StdioExit | undefined {
    return this.#exit;
  }

  /** @throws StdioError `launch-failed` */
  async start(): Promise<void> {
    if (this.#child !== undefined) throw new Error("a StdioTransport is started once");
    const { command, args, cwd, env } = this.#options;
    try {
      this.#child = launch({ command, args, cwd, env });
    } catch (cause) {
      if (!(cause instanceof LaunchError)) throw cause;
      throw new StdioError("launch-failed", cause.message, { cause });
    }
    const child = this.#child;
    child.stdin.on("error", () => {
      // The child closed its end: its exit, or the close that follows, says so to whoever waits.
    });
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stderr.on("data", (chunk: Buffer) => this.#stderr.push(chunk));
    // On exit, not on the pipes' close: a grandchild that holds a pipe must not keep a dead server connected.
    child.once("exit", (code, signal) => {
      this.#exit = { code, signal };
      const timer = setTimeout(() => this.#finishExited(), this.#limits.lastAnswerMs);
      child.once("close", () => {
        clearTimeout(timer);
        this.#finishExited();
      });
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const child = this.#child;
    if (this.#over !== undefined) return Promise.reject(this.#over);
    if (child === undefined || !child.stdin.writable)
      return Promise.reject(new StdioError("closed", "the tool server takes no more messages"));
    const frame = Buffer.from(`${JSON.stringify(message)}\n`);
    if (frame.length - 1 > this.#limits.frameBytes)
      return Promise.reject(
        new StdioError("frame-too-large", `a message may have ${this.#limits.frameBytes} bytes at most`),
      );
    if (child.stdin.writableLength + frame.length > this.#limits.sendQueueBytes)
      return Promise.reject(new StdioError("send-queue-full", "the tool server does not read its messages"));
    return new Promise((resolve, reject) => {
      this.#sending.add(reject);
      child.stdin.write(frame, (error) => {
        this.#sending.delete(reject);
        if (error === null || error === undefined) resolve();
        else
          reject(
            this.#over ??
              new StdioError("closed", "the tool server takes no more messages", { cause: error }),
          );
      });
    });
  }

  /** Ends the child by the stop ladder. Resolves when its exit was seen, or the ladder is at its end. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** For a quit that cannot wait: the group is killed, the exit is not awaited. */
  killNow(): void {
    this.#kill();
    this.#finish(new StdioError("closed", "the connection to the tool server was ended"));
  }

  async #close(): Promise<void> {
    const child = this.#child;
    const reason = new StdioError("closed", "the connection to the tool server was closed");
    if (child === undefined) return;
    if (this.#exit === undefined) {
      const { stopTimes } = this.#options;
      await stopChild(child, stopTimes === undefined ? {} : { times: stopTimes });
    }
    this.#finish(reason);
  }

  #read(chunk: Buffer): void {
    if (this.#over !== undefined) return;
    let lines: Buffer[];
    try {
      lines = this.#lines.push(chunk);
    } catch {
      return this.#abort(
        new StdioError(
          "frame-too-large",
          `the tool server sent a message over ${this.#limits.frameBytes} bytes`,
        ),
      );
    }
    for (const line of lines) {
      this.#readLine(line);
      if (this.#over !== undefined) return;
    }
  }

  #readLine(line: Buffer): void {
    let message: JSONRPCMessage;
    try {
      // Fatal: a replaced byte would be a silent change of data. A carriage return before the newline is white space.
      const text = new TextDecoder("utf-8", { fatal: true }).decode(line);
      if (text.trim() === "") return;
      message = parseJSONRPCMessage(JSON.parse(text));
      assertOwnId(message);
    } catch {
      this.#badLines += 1;
      this.onerror?.(
        new Error(`a line of ${line.length} bytes from the tool server is not a JSON-RPC message`),
      );
      if (this.#badLines > this.#limits.badLines)
        this.#abort(
          new StdioError("bad-frames", `the tool server sent ${this.#badLines} lines that are not JSON-RPC`),
        );
      return;
    }
    this.onmessage?.(message);
  }

  #finishExited(): void {
    const exit = this.#exit ?? { code: null, signal: null };
    const stderrTail = this.stderrTail;
    this.#finish(new StdioError("exited", exitSentence(exit, stderrTail), { exit, stderrTail }));
  }

  /** The other side broke the protocol: nothing more is read, and its processes end at once. */
  #abort(reason: StdioError): void {
    this.onerror?.(reason);
    this.#kill();
    this.#finish(reason);
  }

  #kill(): void {
    const pid = this.#child?.pid;
    if (pid === undefined || this.#exit !== undefined) return;
    if (process.platform === "win32") void taskkillTree(pid);
    else signalGroup(pid, "SIGKILL");
  }

  #finish(reason: StdioError): void {
    if (this.#over !== undefined) return;
    this.#over = reason;
    this.#lines.clear();
    const child = this.#child;
    child?.stdin.destroy();
    child?.stdout.destroy();
    child?.stderr.destroy();
    for (const reject of this.#sending) reject(reason);
    this.#sending.clear();
    this.onclose?.();
  }
}

/** We number our requests; the SDK would take the answer `"1"` for the request `1`. @throws TypeError */
function assertOwnId(message: JSONRPCMessage): void {
  if ("method" in message) return;
  if (!Number.isInteger(message.id)) throw new TypeError("an answer to a request that was never sent");
}
