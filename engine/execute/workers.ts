import type { Core } from "../core.ts";

/** A pull worker that says it is there. Workers live in memory: after a restart of the engine they register again. */
export interface Worker {
  id: string;
  environmentId: string;
  hostname: string;
  functionIds: string[];
  maxConcurrent: number;
  labels: Record<string, string>;
  version: { sdk?: string | undefined; runtime?: string | undefined };
  activeJobs: number;
  registeredAt: number;
  lastHeartbeat: number;
  /** The same moment on a clock that does not jump. */
  heardElapsedMs: number;
}

export interface Workers {
  register(worker: Omit<Worker, "registeredAt" | "lastHeartbeat" | "heardElapsedMs" | "activeJobs">): void;
  /** The worker, and that it was heard of; undefined when it has to register (again). */
  heard(environmentId: string, id: string, activeJobs?: number): Worker | undefined;
  /** In order of id. */
  list(environmentId: string): Worker[];
}

/** A worker that was silent for so long has to register again, ms. */
export const WORKER_GONE_MS = 120_000;

/** More workers than this are refused the oldest silent one's place. */
const maxWorkers = 2_000;

export function createWorkers(core: () => Core): Workers {
  const workers = new Map<string, Worker>();
  const nameOf = (environmentId: string, id: string) => `${environmentId}\n${id}`;

  function forgetGone(): void {
    const oldest = core().clock.elapsedMs() - WORKER_GONE_MS;
    for (const [name, worker] of workers) {
      if (worker.heardElapsedMs < oldest) workers.delete(name);
    }
  }

  return {
    register: (worker) => {
      forgetGone();
      const name = nameOf(worker.environmentId, worker.id);
      const nowMs = core().clock.nowMs();
      const before = workers.get(name);
      workers.delete(name);
      workers.set(name, {
        ...worker,
        activeJobs: before?.activeJobs ?? 0,
        registeredAt: before?.registeredAt ?? nowMs,
        lastHeartbeat: nowMs,
        heardElapsedMs: core().clock.elapsedMs(),
      });
      const [first] = workers.keys();
      if (workers.size > maxWorkers && first !== undefined) workers.delete(first);
    },
    heard: (environmentId, id, activeJobs) => {
      forgetGone();
      const worker = workers.get(nameOf(environmentId, id));
      if (worker === undefined) return undefined;
      worker.lastHeartbeat = core().clock.nowMs();
      worker.heardElapsedMs = core().clock.elapsedMs();
      if (activeJobs !== undefined) worker.activeJobs = activeJobs;
      return worker;
    },
    list: (environmentId) => {
      forgetGone();
      return [...workers.values()]
        .filter((worker) => worker.environmentId === environmentId)
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
}
