import type { IPty, IWindowsPtyForkOptions } from "node-pty";
import type { TerminalSize } from "./contract/api.ts";
import { MAX_WAITING_INPUT_BYTES, type PtyEvents, type PtyOptions, type TerminalDevice } from "./pty.ts";

type WindowsPty = Pick<IPty, "pid" | "write" | "resize" | "onData" | "onExit">;
export type SpawnConPty = (file: string, args: string[], options: IWindowsPtyForkOptions) => WindowsPty;

/**
 * A child on a pseudo console of Windows (ConPTY), through node-pty as it is: it reads on a thread of its own and tells the
 * end only after all output was handed over. What the child starts is found by its parents and ended by `taskkill /T`.
 */
export class ConPty implements TerminalDevice {
  readonly pid: number;
  /** Windows has no path for it. */
  readonly terminal = "";
  readonly #pty: WindowsPty;
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
    this.#pty.onData((text) => {
      events.data(Buffer.from(text, "utf8"));
    });
    this.#pty.onExit(({ exitCode }) => {
      this.#ended = true;
      // Windows has no signals: a program that was ended from outside has an exit code as any other.
      events.end({ exitCode, signal: 0 });
    });
  }

  write(text: string): boolean {
    if (this.#ended || Buffer.byteLength(text) > MAX_WAITING_INPUT_BYTES) return false;
    this.#pty.write(text);
    return true;
  }

  resize(size: TerminalSize): void {
    if (!this.#ended) this.#pty.resize(size.cols, size.rows);
  }
}
