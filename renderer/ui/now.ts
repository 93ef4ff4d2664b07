import { useSyncExternalStore } from "react";

const EVERY_MS = 1_000;

// One timer for every age and duration on screen; it runs only while one of them is there.
const listeners = new Set<() => void>();
let nowMs = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    nowMs = Date.now();
    for (const tell of listeners) tell();
  }, EVERY_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function read(): number {
  // Without the timer the last value is of any age.
  if (timer === undefined) nowMs = Math.floor(Date.now() / EVERY_MS) * EVERY_MS;
  return nowMs;
}

/** The time in ms since the epoch, once a second. */
export const useNow = (): number => useSyncExternalStore(subscribe, read);
