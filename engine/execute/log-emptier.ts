import type { Core } from "../core.ts";

/** Empties the store's write-ahead log after a redaction, as soon as nobody reads old pages in it. */
export interface LogEmptier {
  empty(): void;
  stop(): void;
}

/** A query ends after 30 s at the latest, so the log is never old for long. */
const againMs = 250;

export function createLogEmptier(core: () => Core): LogEmptier {
  let cancel: (() => void) | undefined;
  let stopped = false;
  const empty = (): void => {
    cancel?.();
    if (stopped) return; // closing the store empties it
    cancel = core().store.db.emptyLog() ? undefined : core().clock.after(againMs, empty);
  };
  return {
    empty,
    stop: () => {
      stopped = true;
      cancel?.();
    },
  };
}
