import type { Clock } from "../loopback/clock.ts";
import { endsUnfinished, foreground, lineModes, type Foreground } from "./input-watch.ts";
import { LookTimes } from "./look-times.ts";
import type { OutputLog } from "./output-log.ts";
import type { TerminalDevice } from "./pty.ts";

/** Output that came less than this ago may go on: nobody waits for a person yet, in ms. */
const QUIET_MS = 250;
/** So much of the output's end can hold a prompt, in bytes. */
const PROMPT_BYTES = 1_024;

/** Looks, when it is time to, whether the program of one terminal waits for a person. */
export class InputLook {
  readonly #log: OutputLog;
  readonly #clock: Clock;
  readonly #times = new LookTimes();
  #printedAtMs = 0;

  constructor(log: OutputLog, clock: Clock) {
    this.#log = log;
    this.#clock = clock;
  }

  printed(): void {
    this.#printedAtMs = this.#clock.nowMs();
    this.#times.happened();
  }

  typed(): void {
    this.#times.happened();
  }

  /**
   * It waits when it reads the terminal, and either does not show what is typed or has left a line unfinished. Undefined: it
   * is not time to look, or nothing can be told now.
   */
  async look(pty: TerminalDevice): Promise<"waits" | "goes_on" | undefined> {
    const nowMs = this.#clock.nowMs();
    if (!this.#times.isDue(nowMs)) return undefined;
    const rests = this.#times.isResting;
    this.#times.looked(nowMs);
    const printed = this.#log.end;
    const does = await foreground(pty.pid);
    const { bytes } = this.#log.read(Math.max(this.#log.start, printed - PROMPT_BYTES), PROMPT_BYTES);
    const prompts = endsUnfinished(bytes);
    // A server that rests waits for several things for days: whether it asks unseen was found out at once.
    if (does === "polls" && !prompts && rests) return undefined;
    const waits = does !== "busy" && (prompts || (await asksUnseen(does, pty.terminal)));
    if (this.#log.end !== printed) return undefined;
    if (!waits) return "goes_on";
    return this.#clock.nowMs() - this.#printedAtMs >= QUIET_MS ? "waits" : undefined;
  }
}

/** A full-screen program takes keys unseen as well; of those that wait for several things only who wants a line asks. */
async function asksUnseen(does: Foreground | undefined, terminal: string): Promise<boolean> {
  if (does === undefined) return false;
  const { echo, lines } = await lineModes(terminal);
  return !echo && (does === "reads" || lines);
}
