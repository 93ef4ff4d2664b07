import { useSyncExternalStore } from "react";
import { useApp } from "../ui/use-app.ts";

const DARK = "(prefers-color-scheme: dark)";

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(DARK);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** Dark or light, as the page is now: the person's choice, else the system's. */
export function useLook(): "dark" | "light" {
  const theme = useApp((state) => state.settings.theme);
  const systemDark = useSyncExternalStore(subscribe, () => window.matchMedia(DARK).matches);
  if (theme !== "system") return theme;
  return systemDark ? "dark" : "light";
}
