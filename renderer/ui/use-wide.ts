import { useSyncExternalStore } from "react";

/** From here on a list and what is open in it fit beside each other. */
const WIDE = "(min-width: 1240px)";

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(WIDE);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

export const useWide = (): boolean => useSyncExternalStore(subscribe, () => window.matchMedia(WIDE).matches);
