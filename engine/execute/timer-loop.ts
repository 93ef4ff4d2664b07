import type { Core } from "../core.ts";
import { messageOf } from "../errors.ts";
import { isStorageTrouble } from "../store/database.ts";
import type { TimerRow } from "../store/timers.ts";
import type { Tx } from "../store/writer.ts";
import { kvSource } from "../kv/entries.ts";
import { groupSource } from "../pubsub/group-hub.ts";
import { debounceSource } from "./debounce.ts";
import type { DueSource } from "./due-source.ts";
import { runTimerSource } from "./run-timers.ts";
import { scheduleSource } from "./schedules.ts";

/** Timers live in the store; memory only knows when to look next. */
export interface TimerLoop {
  add(tx: Tx, timer: Omit<TimerRow, "id">): void;
  /** Something else than a timer of a run will be due: a debounce, a schedule, a value that expires. */
  wakeAt(tx: Tx, dueAtMs: number): void;
  start(): void;
  stop(): void;
}

interface DueRow {
  key: string;
  dueAt: number;
  fire(): Promise<void>;
  record(reason: string): Promise<void>;
}

/** A source without its row type: rows only go back to where they came from. */
interface Source {
  name: string;
  earliest(limit: number): DueRow[];
}

/** A wall clock may jump: the store is asked at least this often, ms. */
const lookAtLeastEveryMs = 30_000;

/** Rows of one source that are fired at once. */
const batch = 200;

/** After an error of the store, ms. */
const retryMs = 1_000;

/** A row that cannot be fired rests for `retryMs`, then twice as long each time, up to this, ms. */
const longestRestMs = 300_000;

/** More rows than this do not rest one by one: then the whole loop waits. */
const maxResting = 10_000;

export function createTimerLoop(core: () => Core): TimerLoop {
  const sources = [
    toSource(core, runTimerSource),
    toSource(core, debounceSource),
    toSource(core, scheduleSource),
    toSource(core, kvSource),
    toSource(core, groupSource),
  ];
  /** Rows that could not be fired, by source and key. Each is tried again by itself; all others go on. */
  const failing = new Map<string, { failures: number; wake: (() => void) | undefined }>();
  let cancel: (() => void) | undefined;
  let armedForElapsedMs = Number.POSITIVE_INFINITY;
  let looking = false;
  let stopped = true;

  function arm(dueAtMs: number): void {
    const { clock } = core();
    const delayMs = Math.min(Math.max(0, dueAtMs - clock.nowMs()), lookAtLeastEveryMs);
    const atElapsedMs = clock.elapsedMs() + delayMs;
    if (stopped || atElapsedMs >= armedForElapsedMs) return;
    cancel?.();
    armedForElapsedMs = atElapsedMs;
    cancel = clock.after(delayMs, look);
  }

  const isResting = (name: string) => failing.get(name)?.wake !== undefined;

  function look(): void {
    armedForElapsedMs = Number.POSITIVE_INFINITY;
    // Two looks at once would fire the same rows; the one under way sees what is due when it is done.
    if (looking || stopped) return;
    looking = true;
    fireDue()
      .then((ok) => (ok ? nextDueMs() : core().clock.nowMs() + retryMs))
      .catch((error: unknown) => {
        core().log.error({ err: error }, "timers could not be read");
        return core().clock.nowMs() + retryMs;
      })
      .then((dueAtMs) => {
        looking = false;
        // More than a batch was due, or something became due meanwhile.
        if (dueAtMs <= core().clock.nowMs()) look();
        else arm(dueAtMs);
      })
      .catch((error: unknown) => core().log.error({ err: error }, "timers could not be set"));
  }

  /** Fires a batch of what is due. False when the disk is in trouble: then it is tried again later. */
  async function fireDue(): Promise<boolean> {
    // The writer sees whether the wall clock was set, and puts the rows' times right first.
    await core().writer.write(() => undefined);
    let ok = true;
    const tried = new Set<string>();
    for (const source of sources) {
      const nowMs = core().clock.nowMs();
      const due = source
        .earliest(batch + failing.size)
        .filter((row) => row.dueAt <= nowMs && !isResting(nameOf(source, row)))
        .slice(0, batch);
      for (const row of due) tried.add(nameOf(source, row));
      const fired = await Promise.all(due.map((row) => fireOne(source, row)));
      ok &&= fired.every(Boolean);
    }
    // A row that rested long enough and is not due any more was taken away by somebody else.
    for (const [name, { wake }] of failing) if (wake === undefined && !tried.has(name)) failing.delete(name);
    return ok;
  }

  async function fireOne(source: Source, row: DueRow): Promise<boolean> {
    const name = nameOf(source, row);
    try {
      await row.fire();
      failing.delete(name);
      return true;
    } catch (error) {
      const failures = (failing.get(name)?.failures ?? 0) + 1;
      core().log.error(
        { err: error, source: source.name, key: row.key, failures },
        "a timer could not be fired",
      );
      // The disk's trouble is nobody's own, and is over for all of them at once.
      if (isStorageTrouble(error) || failing.size >= maxResting) return false;
      rest(name, failures);
      if (failures === 1) await row.record(messageOf(error));
      return true;
    }
  }

  /** When the next row is due that is not resting, ms since 1970. */
  function nextDueMs(): number {
    const times = sources.map(
      (source) =>
        source.earliest(1 + failing.size).find((row) => !isResting(nameOf(source, row)))?.dueAt ??
        Number.POSITIVE_INFINITY,
    );
    return Math.min(...times);
  }

  function rest(name: string, failures: number): void {
    const entry: { failures: number; wake: (() => void) | undefined } = { failures, wake: undefined };
    entry.wake = core().clock.after(Math.min(retryMs * 2 ** (failures - 1), longestRestMs), () => {
      entry.wake = undefined;
      look();
    });
    failing.set(name, entry);
  }

  return {
    add: (tx, timer) => {
      core().store.timers.add(timer);
      tx.afterCommit(() => arm(timer.due_at));
    },
    wakeAt: (tx, dueAtMs) => {
      tx.afterCommit(() => arm(dueAtMs));
    },
    start: () => {
      stopped = false;
      look();
    },
    stop: () => {
      stopped = true;
      cancel?.();
      for (const { wake } of failing.values()) wake?.();
    },
  };
}

const nameOf = (source: Source, row: { key: string }) => `${source.name} ${row.key}`;

function toSource<Row>(core: () => Core, source: DueSource<Row>): Source {
  return {
    name: source.name,
    earliest: (limit) =>
      source.earliest(core().store, limit).map((row) => ({
        key: source.key(row),
        dueAt: source.dueAt(row),
        // Each in a change of its own: one that throws takes nothing else with it.
        fire: () => core().writer.write((tx) => fireRow(core(), tx, source, row)),
        record: async (reason) => {
          await core()
            .writer.write((tx) => source.record?.(core(), tx, row, reason))
            .catch((error: unknown) =>
              core().log.error({ err: error }, "a timer's failure could not be recorded"),
            );
        },
      })),
  };
}

function fireRow<Row>(core: Core, tx: Tx, source: DueSource<Row>, seen: Row): void {
  // Changes that were waiting before this one may have taken it away or moved it.
  const row = source.reread(core.store, seen);
  if (row === undefined || source.dueAt(row) > tx.nowMs) return;
  source.fire(core, tx, row);
  const after = source.reread(core.store, row);
  // Else it would be fired again at once, and for ever.
  if (source.inParts !== true && after !== undefined && source.dueAt(after) === source.dueAt(row)) {
    throw new Error("it is still due after it was fired");
  }
}
