/**
 * Turns a search text of the contract into a LIKE pattern for `like ? escape '\'`: found anywhere, `%` and `_` are
 * wildcards, `\%`, `\_` and `\\` match literally. A backslash before anything else is taken literally too.
 */
export function toLikePattern(search: string): string {
  return `%${search.replace(/\\([\\%_])|\\/g, (whole, escaped: string | undefined) => (escaped === undefined ? "\\\\" : whole))}%`;
}
