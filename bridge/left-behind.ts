import type { Clock } from "../loopback/clock.ts";
import type { ProcessId } from "../loopback/processes.ts";
import type { TerminalProcesses } from "./terminal-processes.ts";

/** After the leader's end it is looked so often again, and after so long, in ms. */
const MORE_LOOKS = 2;
const LOOK_AGAIN_MS = 25;

export interface LeftBehindOptions {
  processes: TerminalProcesses;
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

  /** As last counted. */
  get count(): number {
    return this.#count;
  }

  /** When it was first seen that nothing is left. */
  get goneAt(): Date | undefined {
    return this.#goneAt;
  }

  async look(): Promise<void> {
    try {
      this.#count = await this.#options.processes.count();
    } catch (error) {
      // The system's list cannot be had now; what is known stays.
      this.#options.problem(`its processes could not be counted: ${String(error)}`);
    }
  }

  /** A process between fork and exec shows no environment, so one look that finds nothing proves nothing. */
  async lookAgain(): Promise<void> {
    for (let look = 0; look < MORE_LOOKS && this.#count === 0; look += 1) {
      await this.#options.clock.sleep(LOOK_AGAIN_MS);
      await this.look();
    }
    if (this.#count > 0) this.#options.changed();
    this.#release();
  }

  async recount(): Promise<void> {
    const before = this.#count;
    await this.look();
    if (this.#count === before) return;
    this.#release();
    this.#options.changed();
  }

  #release(): void {
    if (this.#count > 0) return;
    if (this.#goneAt === undefined) {
      this.#goneAt = this.#options.now();
      this.#options.changed();
    }
    if (this.#held === undefined) return;
    this.#options.process("ended", this.#held);
    this.#held = undefined;
  }
}
