import type { PanicState } from "../contract/ipc.ts";

/** What everything is stopped with. */
export interface PanicParts {
  /** When everything was stopped in an earlier life of the app, where it was not lifted. */
  readonly since: string | undefined;
  readonly now: () => Date;
  /** Keeps the state for the next life of the app. @throws when it cannot be kept */
  keep(since: string | undefined): void;
  /** Refuses every question that waits, and every call that waits for one. */
  refuseQuestions(): void;
  /** The terminals in which something runs. */
  running(): readonly string[];
  /** Ends everything in a terminal, at once. Resolves when nothing of it was seen any more. */
  stopTerminal(id: string): Promise<void>;
  record(event: "panic.on" | "panic.off", detail: Record<string, number>): Promise<void>;
  onChanged(state: PanicState): void;
  onProblem(what: string, cause: unknown): void;
}

export interface Panic {
  readonly state: PanicState;
  /** From the moment of this call no agent changes anything. Resolves when the terminals have been stopped too. */
  stop(): Promise<void>;
  /** Lets agents do again what their tokens allow. */
  lift(): void;
  /** The list of terminals has changed: one that was just starting when everything was stopped ends as well. */
  terminalsChanged(): void;
}

/**
 * The one switch that stops all agents: their questions are refused, their tokens only read, their terminals end. It
 * stays until the person lifts it, also over a restart.
 */
export function createPanic(parts: PanicParts): Panic {
  let { since } = parts;
  const stopping = new Map<string, Promise<void>>();
  const state = (): PanicState => (since === undefined ? { stopped: false } : { stopped: true, since });

  function keep(): void {
    try {
      parts.keep(since);
    } catch (cause) {
      parts.onProblem("whether everything is stopped could not be kept for the next start", cause);
    }
  }

  async function stopTerminals(): Promise<number> {
    const ids = parts.running();
    for (const id of ids) {
      if (stopping.has(id)) continue;
      const end = parts
        .stopTerminal(id)
        .catch((cause: unknown) => parts.onProblem(`the terminal ${id} could not be stopped`, cause))
        .finally(() => stopping.delete(id));
      stopping.set(id, end);
    }
    await Promise.all(stopping.values());
    return ids.length;
  }

  return {
    get state() {
      return state();
    },
    async stop() {
      const begun = parts.now();
      since ??= begun.toISOString();
      // First what takes effect at once: nothing that is under way gets past the gate from here on.
      parts.refuseQuestions();
      const terminals = stopTerminals();
      keep();
      parts.onChanged(state());
      const stopped = await terminals;
      const ms = parts.now().getTime() - begun.getTime();
      await parts.record("panic.on", { terminals: stopped, ms });
    },
    lift() {
      if (since === undefined) return;
      since = undefined;
      keep();
      parts.onChanged(state());
      void parts.record("panic.off", {}); // never rejects
    },
    terminalsChanged() {
      if (since !== undefined) void stopTerminals(); // never rejects
    },
  };
}
