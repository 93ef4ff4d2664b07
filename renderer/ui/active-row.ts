/** The row that the keys are on: its key, and where it was last seen. */
export type ActiveRow = {
  readonly index: number;
  /** Undefined as long as nobody has been on a row. */
  readonly key?: string | undefined;
};

export type ShownRow = { readonly index: number; readonly key: string | undefined };

/**
 * Where the active row is now, in a list that grows at its top while a person works in it: the keys stay on their record, not
 * on a place. A record that is not among the rows on screen is taken to be where it was.
 * @param shown the rows on screen; without a key while one is not loaded
 * @returns its index, 0 in an empty list
 */
export function activeIndex(active: ActiveRow, shown: readonly ShownRow[], count: number): number {
  const found = active.key === undefined ? undefined : shown.find(({ key }) => key === active.key);
  return Math.min(found?.index ?? active.index, Math.max(0, count - 1));
}

/**
 * What React knows each row by: its record, so that a click begins and ends on one record although the list has moved
 * between. Twice the same record, as two pages may have it while a list moves, goes by its place.
 */
export function elementKeys(shown: readonly ShownRow[]): string[] {
  const taken = new Set<string>();
  return shown.map(({ index, key }) => {
    if (key === undefined || taken.has(key)) return `place ${index}`;
    taken.add(key);
    return `row ${key}`;
  });
}
