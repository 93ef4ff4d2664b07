import type { Clock } from "../loopback/clock.ts";
import type { ProcessId } from "../loopback/processes.ts";
import type { TerminalProcesses } from "./terminal-processes.ts";

/** A process between fork and exec shows no environment: only so many looks in a row that find nothing prove something. */
const QUIET_LOOKS = 3;
const LOOK_AGAIN_MS = 25;

export interface LeftBehindOptions {
  processes: Pick<TerminalProcesses, "leader" | "count">;
  clock: Clock;
  /** Wall time, for people. */
  now: () => Date;
  /** How many there are, or that nothing is left. */
  changed: () => void;
  /** Its leader started, or nothing of it is left: whoever keeps the list of our processes may forget it. */
  process: (event: "started" | "ended", leader: ProcessId) => void;
  problem: (text: string) => void;
}

/** What of a terminal lives on after its leader, and since when nothing does. */
export class LeftBehind {
  readonly #options: LeftBehindOptions;
  #count = 0;
  /** So many looks in a row have found nothing. */
  #quiet = 0;
  #goneAt: Date | undefined;
  /** The leader that was told to have started, until nothing of it is left. */
  #held: ProcessId | undefined;

  constructor(options: LeftBehindOptions) {
    this.#options = options;
    const { leader } = options.processes;
    if (leader === undefined) return;
    this.#held = leader;
    options.process("started", leader);
  }

  /** As last seen. */
  get count(): number {
    return this.#count;
  }

  /** Since when it is proved that nothing is left. */
  get goneAt(): Date | undefined {
    return this.#goneAt;
  }

  /** Looks once: what comes with the news of the leader's end. */
  async look(): Promise<void> {
    try {
      this.#count = await this.#options.processes.count();
      this.#quiet = this.#count === 0 ? this.#quiet + 1 : 0;
      if (this.#count > 0) this.#goneAt = undefined;
    } catch (error) {
      // The system's list cannot be had now: what is known stays, and nothing is proved.
      this.#quiet = 0;
      this.#options.problem(`its processes could not be counted: ${String(error)}`);
    }
  }

  /** After the leader's end: looks until something is found, or nothing is left for sure. */
  async settle(): Promise<void> {
    const before = this.#count;
    for (let look = 0; look < QUIET_LOOKS && this.#count === 0 && this.#quiet < QUIET_LOOKS; look += 1) {
      await this.#options.clock.sleep(LOOK_AGAIN_MS);
      await this.look();
    }
    if (this.#quiet >= QUIET_LOOKS) this.#release();
    if (this.#count !== before) this.#options.changed();
  }

  /** The same, at any time after that. */
  async recount(): Promise<void> {
    const before = this.#count;
    await this.look();
    if (this.#count === 0) await this.settle();
    if (this.#count !== before) this.#options.changed();
  }

  #release(): void {
    if (this.#goneAt === undefined) {
      this.#goneAt = this.#options.now();
      this.#options.changed();
    }
    if (this.#held === undefined) return;
    this.#options.process("ended", this.#held);
    this.#held = undefined;
  }
}
