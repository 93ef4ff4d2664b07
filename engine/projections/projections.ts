import type { Core } from "../core.ts";
import type { ProjectionRow } from "../store/projections.ts";
import type { Tx } from "../store/writer.ts";
import { createDeliveries, type Deliveries } from "./deliveries.ts";
import { createPassed, type Passed } from "./passed.ts";
import { createProjector } from "./sql/projector.ts";

/** What projections keep in memory: who waits for them, and what was found out that need not be found out again. */
export interface Projections {
  deliveries: Deliveries;
  passed: Passed;
  /** Something that a projection depends on changes with this change: an event, a position, a status. */
  moved(tx: Tx): void;
  /** Workers are given another generation from now on. */
  generationChanged(tx: Tx, projection: ProjectionRow): void;
  /** How many changes there were: who sees the same number twice missed none in between. */
  moves(): number;
  /** Calls back after changes, several at once; the answer ends that. */
  onMove(listener: () => void): () => void;
  /** Lets the engine's own projections look for events. */
  wake(): void;
  start(): void;
  stop(): Promise<void>;
}

export function createProjections(core: () => Core): Projections {
  const projector = createProjector(core);
  const deliveries = createDeliveries();
  const listeners = new Set<() => void>();
  let told = true;
  let moves = 0;

  function tell(): void {
    told = true;
    for (const listener of listeners) listener();
  }
  function moved(tx: Tx): void {
    tx.afterCommit(() => {
      moves += 1;
      projector.wake();
      if (!told || listeners.size === 0) return;
      told = false;
      setImmediate(tell);
    });
  }

  return {
    deliveries,
    passed: createPassed(),
    moved,
    generationChanged: (tx, projection) => {
      deliveries.changed(projection.environment_id, projection.name);
      moved(tx);
    },
    moves: () => moves,
    onMove: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    wake: () => projector.wake(),
    start: () => projector.start(),
    stop: () => projector.stop(),
  };
}
