import { TERMINAL_LIMITS, type TerminalSize } from "./contract/api.ts";
import { FromTab, type ToTab } from "./contract/port.ts";
import { FlowControl } from "./flow-control.ts";
import { problemOf } from "./problem.ts";
import { readText, textStart, type OutputLog } from "./output-log.ts";
import { sequencesOf } from "./terminal-modes.ts";
import { UTF8_MAX_BYTES, wholeCharacters } from "./utf8.ts";

/** The bridge's end of a message port to one tab. */
export interface TabPort {
  post(message: ToTab): void;
  /** What arrives is not trusted. */
  onMessage(listener: (message: unknown) => void): void;
  /** The other end is gone. */
  onClose(listener: () => void): void;
  close(): void;
}

/** What a tab shows and steers. */
export interface TabSource {
  readonly log: OutputLog;
  /** Nothing more will be printed. */
  readonly ended: boolean;
  /** False: nothing of it was taken. */
  type(text: string): boolean;
  resize(size: TerminalSize): void;
}

export interface TabEvents {
  /** The other end went away. */
  close(): void;
  /** A message that is not understood. */
  problem(text: string): void;
  /** Nobody looks any more: what was printed from this offset of the log on was not shown when it was printed. */
  unsent(offset: number): void;
}

/** Bytes of output in one message, at most. */
export const TAB_MESSAGE_BYTES = 65_536;
/** The end of a line is looked for in so many bytes before that. */
const LINE_BYTES = 4_096;
const NEWLINE = 0x0a;
/**
 * A tab that fell so far behind that its place in the log was evicted goes on this close to the newest byte: what it skips
 * is told, and a flood that ends is on screen soon after.
 */
export const TAB_CATCH_UP_BYTES = 1024 * 1024;
/** A replay begins this far before its end at most: more than the scrollback of a tab. What is older is for readers. */
export const TAB_REPLAY_BYTES = 4 * 1024 * 1024;

/**
 * Feeds one tab from the log, at the tab's own pace: first all that is kept, then what comes. The log does not wait for it.
 * A hidden tab is sent nothing; it goes on where it was when it is shown again.
 */
export class Tab {
  readonly #port: TabPort;
  readonly #source: TabSource;
  readonly #on: TabEvents;
  /** A replay has limits of its own: what is acknowledged of it makes no room for live output. */
  readonly #flow = { replay: new FlowControl(), live: new FlowControl() };
  #replayUntil = 0;
  #offset = 0;
  /** Until it says so nobody looks: its view may have gone while it was attached. */
  #visible = false;
  #scheduled: NodeJS.Immediate | undefined;
  #closed = false;

  constructor(port: TabPort, source: TabSource, on: TabEvents) {
    this.#port = port;
    this.#source = source;
    this.#on = on;
    port.onMessage((message) => {
      if (this.#closed) return;
      const parsed = FromTab.safeParse(message);
      if (parsed.success) this.#take(parsed.data);
      else on.problem(`message from a tab: ${problemOf(parsed.error)}`);
    });
    port.onClose(() => {
      this.#stop();
      on.close();
    });
  }

  /** Somebody looks: what is printed now is shown, and what it asks the terminal is answered there. */
  get isShown(): boolean {
    return !this.#closed && this.#visible;
  }

  /** There is more in the log, or nothing more will come. What arrives in one turn of the event loop is sent together. */
  outputArrived(): void {
    if (this.#closed || !this.#visible || !this.#current.maySend) return;
    this.#scheduled ??= setImmediate(() => {
      this.#scheduled = undefined;
      this.#send();
    });
  }

  close(): void {
    this.#stop();
    this.#port.close();
  }

  #stop(): void {
    const wasShown = this.isShown;
    this.#closed = true;
    clearImmediate(this.#scheduled);
    if (wasShown) this.#tellUnsent();
  }

  /** What is older than a replay's end nobody saw when it was printed, and that was told then. */
  #tellUnsent(): void {
    this.#on.unsent(Math.max(this.#offset, this.#replayUntil));
  }

  #take(message: FromTab): void {
    switch (message.type) {
      case "ack":
        this.#flow[message.replay ? "replay" : "live"].acknowledged(message.chars);
        this.outputArrived();
        return;
      case "input":
        // Into what has ended nobody types: its tab says how it ended.
        if (!this.#source.type(message.text) && !this.#source.ended)
          this.#port.post({ type: "refused", chars: message.text.length });
        return;
      case "resize":
        this.#source.resize(message.size);
        return;
      case "visible": {
        const wasShown = this.isShown;
        // What asked the terminal something while nobody looked was answered then (UnseenQuestions), or has stopped waiting.
        if (message.visible && !this.#visible) this.#replayUntil = endOfCharacters(this.#source.log);
        this.#visible = message.visible;
        if (wasShown && !message.visible) this.#tellUnsent();
        this.outputArrived();
        return;
      }
    }
  }

  /** What is sent next was printed before the tab came, or while it was hidden. */
  get #isReplay(): boolean {
    return this.#offset < this.#replayUntil;
  }

  get #current(): FlowControl {
    return this.#flow[this.#isReplay ? "replay" : "live"];
  }

  #send(): void {
    const { log, ended } = this.#source;
    while (!this.#closed && this.#visible && this.#current.maySend && this.#offset < log.end) {
      const skipped = this.#skipEvicted();
      const replay = this.#isReplay;
      const limit = replay
        ? Math.min(TAB_MESSAGE_BYTES, this.#replayUntil - this.#offset)
        : upToLine(log, this.#offset, TAB_MESSAGE_BYTES);
      const { text, offset, next, dropped } = readText(log, this.#offset, limit, ended);
      if (next === this.#offset && skipped === 0) {
        if (!replay) return; // the rest of a character is still to come
        // The replay ends in what may be one. With what came since it is one, or is none.
        this.#replayUntil = this.#offset;
        continue;
      }
      // A terminal that begins here is told what one from the start was told before.
      const modes = skipped + dropped > 0 ? sequencesOf(log.modesAt(offset)) : "";
      this.#offset = next;
      this.#post(modes + text, replay, skipped + dropped);
    }
  }

  /** The log on disk goes further back, but nobody watches what is so far behind. */
  #skipEvicted(): number {
    const { log } = this.#source;
    const from = this.#offset;
    if (from >= Math.max(log.start, log.end - TERMINAL_LIMITS.logMemoryBytes)) return 0;
    const back = from === 0 ? TAB_REPLAY_BYTES : TAB_CATCH_UP_BYTES;
    this.#offset = textStart(log, Math.max(log.start, log.end - back));
    return this.#offset - from;
  }

  #post(chars: string, replay: boolean, dropped: number): void {
    if (chars === "" && dropped === 0) return;
    this.#flow[replay ? "replay" : "live"].sent(chars.length);
    this.#port.post({ type: "data", chars, replay, ...(dropped === 0 ? {} : { dropped_bytes: dropped }) });
  }
}

/** Where the output ends, without the half of a character whose rest is still to come. */
function endOfCharacters(log: OutputLog): number {
  const { bytes } = log.read(Math.max(log.start, log.end - UTF8_MAX_BYTES), UTF8_MAX_BYTES);
  return log.end - bytes.length + wholeCharacters(bytes);
}

/**
 * Up to `limit` bytes that end with a line: with the cursor in another place in each frame of a flood, the page would be
 * layered anew for it. Where less is there or a line is longer, it is not cut.
 */
function upToLine(log: OutputLog, offset: number, limit: number): number {
  if (log.end - offset <= limit) return limit;
  const { bytes } = log.read(offset + limit - LINE_BYTES, LINE_BYTES);
  const line = bytes.lastIndexOf(NEWLINE);
  return line < 0 ? limit : limit - LINE_BYTES + line + 1;
}
