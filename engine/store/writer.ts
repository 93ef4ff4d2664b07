import type { Clock } from "../clock.ts";
import { isStorageTrouble, type Database } from "./database.ts";

/** One change of state, inside a transaction that other changes may share. */
export interface Tx {
  /** When the change began, ms since 1970. The same for everything it writes. */
  readonly nowMs: number;
  /** The key on whose behalf the change is made; null for what the engine does by itself. */
  readonly apiKeyId: string | null;
  /** Runs once the change is on disk, in order of registration. What it throws is reported, never undoes anything. */
  afterCommit(task: () => void): void;
  /** Takes back a change to memory when the change to the store did not happen. Newest first. */
  onRollback(undo: () => void): void;
}

/** The one way to write. */
export interface Writer {
  /**
   * Runs `change` in a transaction and resolves with its answer once it is on disk. Changes that are waiting at the same
   * moment share one transaction and so one fsync; each has its own savepoint, so one that throws takes nothing else with it.
   * One at which SQLite gives up the whole transaction, for another reason than the disk, is rejected; the others are run
   * once more without it.
   */
  write<T>(change: (tx: Tx) => T, apiKeyId?: string): Promise<T>;
  /** Resolves when everything that was handed in is on disk. Later `write` calls reject. */
  close(): Promise<void>;
}

/** A wall clock that moves by this much against the time that passes was set, ms; less is drift, and is followed silently. */
const jumpMs = 1_000;

/** More changes than this do not wait for one commit, nor does one begin after this long: both bound the time in which the process answers nothing else. */
const maxChangesPerCommit = 256;
const maxCommitMs = 50;

/**
 * After a commit the loop is left alone for as long as the commit took, or until nothing happened in so many turns of it. A
 * turn takes one new connection: with a commit in each of them a caller would wait for a commit of everybody before it.
 */
const quietTurns = 3;
/** A turn in which something happened takes longer, ms. */
const quietTurnMs = 0.05;

interface Waiting {
  apiKeyId: string | null;
  run(tx: Tx): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

class Transaction implements Tx {
  readonly nowMs: number;
  readonly apiKeyId: string | null;
  readonly committed: (() => void)[] = [];
  readonly undone: (() => void)[] = [];
  constructor(nowMs: number, apiKeyId: string | null) {
    this.nowMs = nowMs;
    this.apiKeyId = apiKeyId;
  }
  afterCommit(task: () => void): void {
    this.committed.push(task);
  }
  onRollback(undo: () => void): void {
    this.undone.push(undo);
  }
  undo(): void {
    for (const undo of this.undone.reverse()) undo();
  }
}

/**
 * @param onJump the wall clock was set by so many ms: what the store holds is put right before anything else is written
 */
export function createWriter(
  db: Database,
  clock: Clock,
  report: (error: unknown) => void,
  onJump: (tx: Tx, byMs: number) => void = () => {},
): Writer {
  const begin = db.prepare("begin immediate");
  const commit = db.prepare("commit");
  const rollback = db.prepare("rollback");
  const savepoint = db.prepare("savepoint change");
  const release = db.prepare("release change");
  const rollbackTo = db.prepare("rollback to change");

  let queue: Waiting[] = [];
  let scheduled = false;
  let closed = false;
  /** What has to be added to the time that passed to get the wall clock's. */
  let offsetMs = clock.nowMs() - clock.elapsedMs();
  let idle: (() => void)[] = [];

  function flush(): void {
    const startedMs = clock.elapsedMs();
    commitBatch(startedMs);
    leaveAlone(clock.elapsedMs() - startedMs);
  }

  function commitBatch(startedMs: number): void {
    const batch = queue.splice(0, maxChangesPerCommit);
    const done: { waiting: Waiting; tx: Transaction; value: unknown }[] = [];
    const failed: { waiting: Waiting; error: unknown }[] = [];
    /** At which the whole transaction was lost. */
    let culprit: Waiting | undefined;
    const nowOffsetMs = clock.nowMs() - clock.elapsedMs();
    const jumped = Math.abs(nowOffsetMs - offsetMs) >= jumpMs;
    try {
      begin.run();
      if (jumped) {
        const tx = new Transaction(clock.nowMs(), null);
        const waiting = { apiKeyId: null, run: () => undefined, resolve: () => {}, reject: () => {} };
        done.push({ waiting, tx, value: undefined });
        onJump(tx, nowOffsetMs - offsetMs);
      }
      for (const [index, waiting] of batch.entries()) {
        if (index > 0 && clock.elapsedMs() - startedMs >= maxCommitMs) {
          queue.unshift(...batch.splice(index));
          break;
        }
        // All changes of a commit have one clock: it may be set again between two of them.
        const tx = new Transaction(Math.floor(nowOffsetMs + clock.elapsedMs()), waiting.apiKeyId);
        savepoint.run();
        try {
          done.push({ waiting, tx, value: waiting.run(tx) });
          release.run();
        } catch (error) {
          tx.undo();
          if (done.at(-1)?.tx === tx) done.pop();
          failed.push({ waiting, error });
          if (!backToSavepoint()) {
            if (!isStorageTrouble(error)) culprit = waiting;
            throw error;
          }
        }
      }
      commit.run();
    } catch (error) {
      // Disk full, I/O error: nothing of this batch happened, and nobody is told that it did.
      tryRollback();
      for (const { tx } of done.toReversed()) tx.undo();
      if (culprit !== undefined) {
        culprit.reject(error);
        queue.unshift(...batch.filter((waiting) => waiting !== culprit));
        return;
      }
      const own = new Map(failed.map((failure) => [failure.waiting, failure.error]));
      for (const waiting of batch) waiting.reject(own.get(waiting) ?? error);
      return;
    }
    offsetMs = nowOffsetMs;
    for (const { waiting, error } of failed) waiting.reject(error);
    for (const { waiting, tx, value } of done) {
      waiting.resolve(value);
      for (const task of tx.committed) guarded(task);
    }
  }

  /** False when SQLite has given up the whole transaction by itself, as it may on a full disk: nothing of it is left. */
  function backToSavepoint(): boolean {
    try {
      rollbackTo.run();
      release.run();
      return true;
    } catch {
      return false;
    }
  }

  function tryRollback(): void {
    try {
      rollback.run();
    } catch {
      // SQLite has already rolled back by itself, or the transaction never began.
    }
  }

  function guarded(task: () => void): void {
    try {
      task();
    } catch (error) {
      report(error);
    }
  }

  function leaveAlone(tookMs: number): void {
    const untilMs = clock.elapsedMs() + tookMs;
    let turnMs = clock.elapsedMs();
    let quiet = 0;
    const look = () => {
      const nowMs = clock.elapsedMs();
      quiet = nowMs - turnMs < quietTurnMs ? quiet + 1 : 0;
      turnMs = nowMs;
      if (quiet < quietTurns && nowMs < untilMs) setImmediate(look);
      else next();
    };
    setImmediate(look);
  }

  function next(): void {
    if (queue.length > 0) {
      flush();
      return;
    }
    scheduled = false;
    for (const tell of idle) tell();
    idle = [];
  }

  return {
    write: <T>(change: (tx: Tx) => T, apiKeyId?: string) =>
      new Promise<T>((resolve, reject) => {
        if (closed) {
          reject(new Error("the engine is stopping"));
          return;
        }
        queue.push({ apiKeyId: apiKeyId ?? null, run: change, resolve, reject });
        if (!scheduled) {
          scheduled = true;
          setImmediate(flush);
        }
      }),
    close: () => {
      closed = true;
      return new Promise((resolve) => {
        if (scheduled) idle.push(resolve);
        else resolve();
      });
    },
  };
}
