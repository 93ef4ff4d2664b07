/** As many tabs stay attached, so that going back and forth shows them at once. */
export const MOST_ATTACHED = 6;
/**
 * Hidden tabs keep so many lines together, of a tab's 20,000 (40 MB with their objects, which every collection of garbage goes
 * through). The one looked at last stays in any case; what is let go is drawn again from the log when it is shown.
 */
export const MOST_HIDDEN_LINES = 20_000;

/** The tabs that stay attached, the open one first. The same list when nothing changes. */
export function keepRecent(recent: readonly string[], open: string): readonly string[] {
  if (recent[0] === open || open === "") return recent;
  return [open, ...recent.filter((id) => id !== open)].slice(0, MOST_ATTACHED);
}

/**
 * Those of the recent tabs that may stay. The same list when all may.
 * @param lines how many lines a hidden tab had when it was hidden
 */
export function letGo(
  recent: readonly string[],
  shown: ReadonlySet<string>,
  lines: ReadonlyMap<string, number>,
): readonly string[] {
  let hidden = 0;
  let held = 0;
  const kept = recent.filter((id) => {
    if (shown.has(id)) return true;
    hidden += 1;
    held += lines.get(id) ?? 0;
    return hidden === 1 || held <= MOST_HIDDEN_LINES;
  });
  return kept.length === recent.length ? recent : kept;
}
