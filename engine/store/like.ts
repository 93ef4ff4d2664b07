/**
 * Turns a search text of the contract into a LIKE pattern for `like ? escape '\'`: found anywhere, `%` and `_` are
 * wildcards, `\%`, `\_` and `\\` match literally. A backslash before anything else is taken literally too.
 */
export function toLikePattern(search: string): string {
  return `%${search.replace(/\\([\\%_])|\\/g, (whole, escaped: string | undefined) => (escaped === undefined ? "\\\\" : whole))}%`;
}

/**
 * The range of ids `[from, to)` that a search text can only be found in: a text that begins like an id is looked for at
 * the beginning of ids, where an index helps. Undefined for every other text, and for one too short to narrow anything.
 */
export function idRange(search: string, prefix: "run_" | "evt_"): { from: string; to: string } | undefined {
  const text = search.toLowerCase();
  if (!text.startsWith(prefix) || text.length < prefix.length + 4) return undefined;
  // Beyond the prefix `_` and `%` would be wildcards.
  if (!/^[a-z0-9]+$/.test(text.slice(prefix.length))) return undefined;
  return { from: text, to: `${text}~` };
}
