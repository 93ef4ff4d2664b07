import type { IPty, IWindowsPtyForkOptions } from "node-pty";
import type { TerminalSize } from "./contract/api.ts";
import { MAX_WAITING_INPUT_BYTES, type PtyEvents, type PtyOptions, type TerminalDevice } from "./pty.ts";

type WindowsPty = Pick<IPty, "pid" | "write" | "resize" | "onData" | "onExit"> & {
  /** What node-pty 1.1.0 writes to. It tells nobody else how much waits there, and watches for no error. */
  readonly _agent: {
    readonly inSocket: {
      readonly writableLength: number;
      on(event: "error", listener: (error: Error) => void): unknown;
    };
  };
};
export type SpawnConPty = (file: string, args: string[], options: IWindowsPtyForkOptions) => WindowsPty;

/**
 * A child on a pseudo console of Windows (ConPTY), through node-pty as it is: it reads on a thread of its own and tells the
 * end only after all output was handed over, a second after the child has exited. Until the first output node-pty keeps what
 * it is told for later. What the child starts is found by its parents and ended by `taskkill /T`.
 */
export class ConPty implements TerminalDevice {
  readonly pid: number;
  /** Windows has no path for it. */
  readonly terminal = "";
  readonly #pty: WindowsPty;
  #ready = false;
  /** What node-pty keeps until it is ready. */
  #keptBytes = 0;
  /** The size that it is to have once it is ready. */
  #wanted: TerminalSize | undefined;
  #ended = false;

  /** @throws Error when the system gives no console or process */
  constructor(options: PtyOptions, events: PtyEvents, spawn: SpawnConPty) {
    const { command, args, env, cwd, size } = options;
    this.#pty = spawn(command, [...args], {
      cols: size.cols,
      rows: size.rows,
      cwd,
      env: { ...env },
      useConpty: true,
      // Else the console waits for an answer to its question where the cursor is, from a terminal that may not be there.
      conptyInheritCursor: false,
    });
    this.pid = this.#pty.pid;
    this.#pty._agent.inSocket.on("error", () => {
      // The child has exited and does not read any more; its end is told when its output is here.
    });
    this.#pty.onData((text) => {
      // It is ready when all its own listeners have heard of this.
      if (!this.#ready) queueMicrotask(() => this.#isReady());
      events.data(Buffer.from(text, "utf8"));
    });
    this.#pty.onExit(({ exitCode }) => {
      this.#ended = true;
      // Windows has no signals: a program that was ended from outside has an exit code as any other.
      events.end({ exitCode, signal: 0 });
    });
  }

  write(text: string): boolean {
    const bytes = Buffer.byteLength(text);
    const waiting = this.#keptBytes + this.#pty._agent.inSocket.writableLength;
    if (this.#ended || waiting + bytes > MAX_WAITING_INPUT_BYTES) return false;
    if (!this.#ready) this.#keptBytes += bytes;
    this.#pty.write(text);
    return true;
  }

  resize(size: TerminalSize): void {
    if (this.#ended) return;
    if (!this.#ready) {
      this.#wanted = size;
      return;
    }
    try {
      this.#pty.resize(size.cols, size.rows);
    } catch {
      // The child has exited, which node-pty knows a second before it tells: nothing is drawn at that size any more.
    }
  }

  #isReady(): void {
    this.#ready = true;
    this.#keptBytes = 0;
    if (this.#wanted !== undefined) this.resize(this.#wanted);
    this.#wanted = undefined;
  }
}
