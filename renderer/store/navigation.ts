import type { Door } from "../window.ts";
import { formatRoute, parseRoute, type Page, type Query } from "./route.ts";
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

/**
 * Goes to the same page with other filters. Each choice is a step that Back takes back; typing on in a field is one step,
 * however many keys it takes.
 * @param typed the filters that are typed
 */
export function goToFiltered(
  page: Page,
  id: string | null,
  before: Query,
  after: Query,
  typed: readonly string[],
): void {
  goTo(formatRoute(page, id, after), isTypedOn(before, after, typed) ? "replace" : "push");
}

/** Whether nothing changed but a typed filter that had a text already. */
export function isTypedOn(before: Query, after: Query, typed: readonly string[]): boolean {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => (before[name] ?? "") !== (after[name] ?? ""));
  return changed.every((name) => typed.includes(name) && (before[name] ?? "") !== "");
}
