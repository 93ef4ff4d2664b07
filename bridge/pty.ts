import { closeSync, constants, openSync, readSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import type { OnReadOpts, SocketConstructorOpts } from "node:net";
import { dirname, resolve } from "node:path";
import { ReadStream } from "node:tty";
import { systemClock } from "../loopback/clock.ts";
import { signalPid } from "../loopback/signals.ts";
import { TERMINAL_LIMITS, type TerminalSize } from "./contract/api.ts";

/*
 * node-pty's native half is used, its JavaScript half is not, for three reasons (node-pty 1.1.0):
 * - it destroys the pty 200 ms after the leader's end, read or not: output is lost, and every exit waits for that timer;
 * - what was written and not taken yet is still written after the descriptor was closed, into whatever terminal was opened
 *   with the same number since;
 * - a child that does not read its input makes it spin.
 */

export interface PtyOptions {
  command: string;
  args: readonly string[];
  /** The child's whole environment. */
  env: Readonly<Record<string, string>>;
  cwd: string;
  size: TerminalSize;
}

export interface PtyEnd {
  exitCode: number;
  /** 0: none. */
  signal: number;
}

export interface PtyEvents {
  /** The bytes are valid during the call only. */
  data(bytes: Buffer): void;
  /** The leader is reaped; all that it printed has been handed to `data`. The pty is closed. Called once. */
  end(end: PtyEnd): void;
}

/** What a session has of its terminal, whatever the system. */
export interface TerminalDevice {
  readonly pid: number;
  /** Path of its other side; "" where there is none. */
  readonly terminal: string;
  write(text: string): boolean;
  /** Answers a question of its program; not there where the system's own terminal answers. */
  answer?(text: string): void;
  resize(size: TerminalSize): void;
}

/** Bytes of input that may wait for a child which does not read; more is refused. */
export const MAX_WAITING_INPUT_BYTES = TERMINAL_LIMITS.waitingInputBytes;
const WRITE_AGAIN_MS = 10;

/** How long to look again for output after the leader's end, in ms. The first look finds all of the leader's own. */
const POLL_AGAIN_MS = 10;
/** Whoever lives on and prints without pause must not hold back the leader's end for longer, in ms. */
const POLL_AT_MOST_MS = 250;
/** What one look takes at most, in bytes: far more than a kernel keeps for a terminal. */
const POLL_BYTES = 1024 * 1024;
const EMPTY_POLLS = 2;

/** A Linux terminal gives less than this at once, in bytes; where there is less room a read would give a rest of it only. */
const READ_BYTES = 4_096;
/** This much in one read says that more is there, in bytes. */
const FULL_READ_BYTES = 2_048;
/**
 * In a turn that has taken so many bytes, so many reads in a row may give little or nothing (a third of a millisecond): the
 * program is about as fast as we are, and more is there sooner than the event loop would tell of it.
 */
const BUSY_BYTES = 16_384;
const BUSY_READS = 40;
/** What one turn of the event loop takes from one terminal, in bytes: it holds up others for 2 ms at most. */
const TURN_BYTES = 256 * 1024;

interface Native {
  fork(
    file: string,
    args: string[],
    env: string[],
    cwd: string,
    cols: number,
    rows: number,
    uid: number,
    gid: number,
    utf8: boolean,
    helperPath: string,
    onExit: (exitCode: number, signal: number) => void,
  ): { fd: number; pid: number; pty: string };
  resize(fd: number, cols: number, rows: number): void;
}

const SAME_USER = -1;
/** One for all: it is used within a call only. */
const readBuffer = Buffer.allocUnsafe(65_536);
let native: { module: Native; spawnHelper: string } | undefined;

function loadNative(): { module: Native; spawnHelper: string } {
  const require = createRequire(import.meta.url);
  const utils = require.resolve("node-pty/lib/utils.js");
  const { loadNativeModule } = require(utils) as {
    loadNativeModule: (name: string) => { dir: string; module: Native };
  };
  const { dir, module } = loadNativeModule("pty");
  // macOS starts children through a helper, which cannot be run from inside an archive.
  const spawnHelper = resolve(dirname(utils), dir, "spawn-helper").replace("app.asar/", "app.asar.unpacked/");
  return { module, spawnHelper };
}

/**
 * A child on a terminal of its own: leader of a new session and process group. The terminal is read as fast as it can be,
 * always. Our own descriptor of its other side keeps the kernel from throwing away what was not read when the child ends.
 */
export class Pty implements TerminalDevice {
  readonly pid: number;
  /** Path of its other side. */
  readonly terminal: string;
  readonly #master: number;
  readonly #slave: number;
  readonly #stream: ReadStream;
  readonly #events: PtyEvents;
  readonly #closed: Promise<unknown>;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #writeTimer: NodeJS.Timeout | undefined;

  /** @throws Error when the system gives no terminal or process; nothing is left then */
  constructor(options: PtyOptions, events: PtyEvents) {
    native ??= loadNative();
    const { command, args, env, cwd, size } = options;
    this.#events = events;
    let complete = false;
    const forked = native.module.fork(
      command,
      [...args],
      Object.entries(env).map(([name, value]) => `${name}=${value}`),
      cwd,
      size.cols,
      size.rows,
      SAME_USER,
      SAME_USER,
      true,
      native.spawnHelper,
      (exitCode, signal) => {
        if (complete) void this.#drain({ exitCode, signal }); // a rejection is a fault of ours and ends the process
      },
    );
    this.pid = forked.pid;
    this.terminal = forked.pty;
    this.#master = forked.fd;
    let slave: number | undefined;
    try {
      slave = openSync(forked.pty, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
      this.#stream = openStream(forked.fd, events);
    } catch (cause) {
      // The launcher has not become the command yet: there is one process to end.
      signalPid(forked.pid, "SIGKILL");
      closeSync(forked.fd);
      if (slave !== undefined) closeSync(slave);
      throw new Error(`cannot open the terminal ${forked.pty}`, { cause });
    }
    this.#slave = slave;
    this.#closed = new Promise((done) => this.#stream.once("close", done));
    this.#stream.resume();
    complete = true;
  }

  /** Types text into the terminal. False when it was not taken: the terminal is closed, or too much waits already. */
  write(text: string): boolean {
    const bytes = Buffer.from(text, "utf8");
    if (!this.#isOpen || this.#waitingBytes + bytes.length > MAX_WAITING_INPUT_BYTES) return false;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#writeTimer === undefined) this.#writeWaiting();
    return true;
  }

  /**
   * Types what the terminal takes at once, unless something else waits. The rest is not kept: the program does not read
   * now, and what it does not read would be typed into the next one.
   */
  answer(text: string): void {
    if (this.#isOpen && this.#waitingBytes === 0) writeSome(this.#master, Buffer.from(text, "utf8"));
  }

  resize(size: TerminalSize): void {
    if (this.#isOpen) native?.module.resize(this.#master, size.cols, size.rows);
  }

  /** The stream closes the terminal at once when it fails, and its number may then be another terminal's. */
  get #isOpen(): boolean {
    return !this.#stream.destroyed;
  }

  #writeWaiting(): void {
    this.#writeTimer = undefined;
    if (!this.#isOpen) return;
    for (let bytes = this.#waiting.shift(); bytes !== undefined; bytes = this.#waiting.shift()) {
      const written = writeSome(this.#master, bytes);
      this.#waitingBytes -= written;
      if (written === bytes.length) continue;
      this.#waiting.unshift(bytes.subarray(written));
      this.#writeTimer = setTimeout(() => {
        this.#writeWaiting();
      }, WRITE_AGAIN_MS);
      return;
    }
  }

  /** The leader is reaped: everything it wrote is in the kernel. The kernel answers EAGAIN only when nothing is on its way. */
  async #drain(end: PtyEnd): Promise<void> {
    const deadlineMs = systemClock.nowMs() + POLL_AT_MOST_MS;
    let empty = this.#readRest() === 0 ? 1 : 0;
    while (empty < EMPTY_POLLS && systemClock.nowMs() < deadlineMs) {
      await systemClock.sleep(POLL_AGAIN_MS);
      empty = this.#readRest() === 0 ? empty + 1 : 0;
    }
    await this.#close();
    this.#events.end(end);
  }

  #readRest(): number {
    let total = 0;
    while (this.#isOpen && total < POLL_BYTES) {
      const length = readSome(this.#master);
      if (length === 0) break;
      this.#events.data(readBuffer.subarray(0, length));
      total += length;
    }
    return total;
  }

  async #close(): Promise<void> {
    clearTimeout(this.#writeTimer);
    this.#waiting.length = 0;
    this.#stream.destroy();
    await this.#closed;
    closeSync(this.#slave);
  }
}

function openStream(master: number, events: PtyEvents): ReadStream {
  const onread: OnReadOpts = {
    buffer: readBuffer,
    callback: (length) => {
      // libuv reads once per turn of the loop, and in Electron each turn costs a change of threads.
      let last = length;
      let filled = length;
      let littleReads = 0;
      for (let total = 0; total < TURN_BYTES; total += last) {
        littleReads = last >= FULL_READ_BYTES ? 0 : littleReads + 1;
        if (littleReads > (total < BUSY_BYTES ? 0 : BUSY_READS)) break;
        if (filled > readBuffer.length - READ_BYTES) {
          events.data(readBuffer.subarray(0, filled));
          filled = 0;
        }
        last = readSome(master, filled);
        filled += last;
      }
      if (filled > 0) events.data(readBuffer.subarray(0, filled));
      return true;
    },
  };
  const options: SocketConstructorOpts & { onread: OnReadOpts } = { onread };
  const stream = new ReadStream(master, options);
  stream.on("error", () => {
    // A terminal that is gone has nothing more to read. How its leader ended is told by `end` alone.
  });
  return stream;
}

/** Bytes read into `readBuffer`, from `at` on; 0 when there is nothing now, or nobody on the other side. */
function readSome(fd: number, at = 0): number {
  try {
    return readSync(fd, readBuffer, at, readBuffer.length - at, null);
  } catch (error) {
    if (isCode(error, "EAGAIN") || isCode(error, "EIO")) return 0;
    throw error;
  }
}

/** How many bytes are done with: 0 when the terminal takes none now, all when nobody is on the other side. */
function writeSome(fd: number, bytes: Buffer): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    if (isCode(error, "EAGAIN")) return 0;
    if (isCode(error, "EIO")) return bytes.length;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
