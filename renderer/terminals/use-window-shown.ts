import { useSyncExternalStore } from "react";

function subscribe(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}

/** Whether anybody can see the window: it is neither minimised nor hidden. */
export function useWindowShown(): boolean {
  return useSyncExternalStore(subscribe, () => document.visibilityState === "visible");
}
