import type { Door } from "../window.ts";
import { parseRoute } from "./route.ts";
import type { AppStore } from "./store.ts";

/** Follows the address after the `#`, and goes where a menu or deep link points. Returns the way to stop. */
export function followAddress(store: AppStore, door: Door, host: Window = window): () => void {
  const read = () => store.setState({ route: parseRoute(host.location.hash) });
  read();
  host.addEventListener("hashchange", read);
  const unlisten = door.listen("navigate", ({ path }) => {
    host.location.hash = path;
  });
  return () => {
    host.removeEventListener("hashchange", read);
    unlisten();
  };
}

/** Goes to a path of ours. `replace` leaves no step in the history: for filters, which change with every key. */
export function goTo(path: string, how: "push" | "replace" = "push", host: Window = window): void {
  if (how === "push") host.location.hash = path;
  else host.location.replace(`#${path}`);
}
