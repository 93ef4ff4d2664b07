/** As many tabs stay attached, so that going back and forth shows them at once. */
export const MOST_ATTACHED = 6;

/** The tabs that stay attached, the open one first. The same list when nothing changes. */
export function keepRecent(recent: readonly string[], open: string): readonly string[] {
  if (recent[0] === open || open === "") return recent;
  return [open, ...recent.filter((id) => id !== open)].slice(0, MOST_ATTACHED);
}
