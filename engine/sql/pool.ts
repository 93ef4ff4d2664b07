import type { Clock } from "../clock.ts";
import type { Log } from "../core.ts";
import { ApiError } from "../errors.ts";
import { startSqlChild, type SqlChild } from "./child.ts";
import type { SqlReply } from "./protocol.ts";

export const SQL_POOL = {
  /** Processes that read at the same time. */
  children: 2,
  /** Queries that may wait for one of them. */
  waiting: 32,
  /** The longest a query waits for its turn, ms. */
  waitMs: 30_000,
  /** How long a process that has nothing to do is kept, ms. */
  idleMs: 30_000,
  /** What starting one may take, ms. */
  startMs: 10_000,
  /** The texts of an answer together. */
  answerBytes: 4 * 1024 * 1024,
} as const;

export interface SqlQuery {
  environmentId: string;
  sql: string;
  timeoutMs: number;
  maxRows: number;
}

export type SqlRows = Omit<Extract<SqlReply, { kind: "rows" }>, "kind">;

/** Runs queries in processes of their own: a few at a time, the others wait their turn. */
export interface SqlPool {
  /**
   * @param gone the caller went away: its query ends
   * @throws ApiError invalid_argument, permission_denied, resource_exhausted, deadline_exceeded, canceled, unavailable
   */
  query(query: SqlQuery, gone: AbortSignal): Promise<SqlRows>;
  /** Queries at this moment. */
  load(): { running: number; waiting: number };
  /** Ends every query. Resolves when the last process has exited. */
  close(): Promise<void>;
}

export interface SqlPoolOptions {
  /** The bundled `main.ts` of this folder; undefined where there is none, and no SQL then. */
  entry: string | undefined;
  database: string;
  clock: Clock;
  log: Log;
}

interface Slot {
  environmentId: string;
  child: SqlChild;
  /** `ending`: it was told to go, its exit is awaited. */
  state: "busy" | "idle" | "ending";
  cancelIdle: () => void;
}

interface Waiting {
  environmentId: string;
  resolve(slot: Slot): void;
  reject(error: Error): void;
}

export function createSqlPool(options: SqlPoolOptions): SqlPool {
  const { entry, database, clock, log } = options;
  const slots = new Set<Slot>();
  const waiting: Waiting[] = [];
  let closed = false;

  function start(environmentId: string, file: string): Slot {
    const child = startSqlChild(file, database, environmentId);
    const slot: Slot = { environmentId, child, state: "busy", cancelIdle: () => {} };
    slots.add(slot);
    void child.exited.then(() => {
      slot.cancelIdle();
      slots.delete(slot);
      serveWaiting();
    });
    return slot;
  }

  /** A process for the environment, marked busy; undefined when there is none and none may be started. */
  function take(environmentId: string, file: string): Slot | undefined {
    const idle = [...slots].filter(({ state }) => state === "idle");
    const own = idle.find((slot) => slot.environmentId === environmentId);
    if (own !== undefined) {
      own.cancelIdle();
      own.state = "busy";
      return own;
    }
    if (slots.size < SQL_POOL.children) return start(environmentId, file);
    // Another environment's process makes room; its exit calls us again.
    const [other] = idle;
    if (other !== undefined) end(other);
    return undefined;
  }

  function end(slot: Slot): void {
    slot.state = "ending";
    slot.cancelIdle();
    slot.child.kill();
  }

  function serveWaiting(): void {
    for (let head = waiting[0]; head !== undefined; head = waiting[0]) {
      let slot: Slot | undefined;
      try {
        slot = entry === undefined ? undefined : take(head.environmentId, entry);
        if (slot === undefined) return;
      } catch (error) {
        waiting.shift();
        head.reject(unavailable(error));
        continue;
      }
      waiting.shift();
      head.resolve(slot);
    }
  }

  function unavailable(cause: unknown): ApiError {
    log.error({ err: cause }, "the SQL process failed");
    return new ApiError("unavailable", "the process that runs queries could not be used", { cause });
  }

  function acquire(environmentId: string, gone: AbortSignal): Promise<Slot> {
    if (closed) return Promise.reject(new ApiError("unavailable", "the engine is stopping"));
    if (entry === undefined)
      return Promise.reject(new ApiError("unimplemented", "this engine was started without SQL"));
    if (waiting.length >= SQL_POOL.waiting) {
      const message = `more than ${SQL_POOL.waiting} queries are waiting`;
      return Promise.reject(new ApiError("resource_exhausted", message));
    }
    return new Promise<Slot>((resolve, reject) => {
      const leave = (error: ApiError) => {
        const at = waiting.indexOf(turn);
        if (at < 0) return;
        waiting.splice(at, 1);
        turn.reject(error);
      };
      const onGone = () => leave(canceled());
      const cancelWait = clock.after(SQL_POOL.waitMs, () =>
        leave(new ApiError("resource_exhausted", `other queries took longer than ${SQL_POOL.waitMs} ms`)),
      );
      const settle = () => {
        cancelWait();
        gone.removeEventListener("abort", onGone);
      };
      const turn: Waiting = {
        environmentId,
        resolve: (slot) => {
          settle();
          resolve(slot);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      };
      waiting.push(turn);
      gone.addEventListener("abort", onGone, { once: true });
      if (gone.aborted) onGone();
      else serveWaiting();
    });
  }

  function release(slot: Slot): void {
    if (slot.state === "ending" || !slots.has(slot)) return;
    slot.state = "idle";
    slot.cancelIdle = clock.after(SQL_POOL.idleMs, () => end(slot));
    serveWaiting();
  }

  /** Waits for `work`; when it takes too long or nobody wants it any more, the process ends and its exit is awaited. */
  async function within<T>(
    slot: Slot,
    work: Promise<T>,
    limit: { ms: number; late(): ApiError; gone: AbortSignal },
  ): Promise<T> {
    let stopped: ApiError | undefined;
    const stop = (error: ApiError) => {
      stopped ??= error;
      end(slot);
    };
    const onGone = () => stop(canceled());
    const cancel = clock.after(limit.ms, () => stop(limit.late()));
    limit.gone.addEventListener("abort", onGone, { once: true });
    if (limit.gone.aborted) onGone();
    try {
      return await work;
    } catch (error) {
      await slot.child.exited;
      if (closed) throw new ApiError("unavailable", "the engine is stopping", { cause: error });
      throw stopped ?? unavailable(error);
    } finally {
      cancel();
      limit.gone.removeEventListener("abort", onGone);
    }
  }

  async function query(wanted: SqlQuery, gone: AbortSignal): Promise<SqlRows> {
    const slot = await acquire(wanted.environmentId, gone);
    try {
      const startLate = () =>
        new ApiError("unavailable", "the process that runs queries did not start in time");
      await within(slot, slot.child.ready, { ms: SQL_POOL.startMs, late: startLate, gone });
      const task = { sql: wanted.sql, maxRows: wanted.maxRows, maxBytes: SQL_POOL.answerBytes };
      const late = () =>
        new ApiError("deadline_exceeded", `the query took over ${wanted.timeoutMs} ms and was ended`);
      const reply = await within(slot, slot.child.ask(task), { ms: wanted.timeoutMs, late, gone });
      // Short of memory it ends by itself, or is too full to be of use.
      if (reply.kind === "refused" && reply.reason === "too-large") end(slot);
      if (reply.kind === "refused") throw refusal(reply);
      const { kind: _, ...rows } = reply;
      return rows;
    } finally {
      release(slot);
    }
  }

  return {
    query,
    load: () => ({
      running: [...slots].filter(({ state }) => state === "busy").length,
      waiting: waiting.length,
    }),
    close: async () => {
      closed = true;
      for (const turn of waiting.splice(0))
        turn.reject(new ApiError("unavailable", "the engine is stopping"));
      const exits = [...slots].map(({ child }) => child.exited);
      for (const slot of slots) end(slot);
      await Promise.all(exits);
    },
  };
}

const canceled = () => new ApiError("canceled", "the caller went away");

function refusal({ reason, message }: Extract<SqlReply, { kind: "refused" }>): ApiError {
  const codes = {
    invalid: "invalid_argument",
    denied: "permission_denied",
    "too-large": "resource_exhausted",
    failed: "internal",
  } as const;
  return new ApiError(codes[reason], message);
}
