// JavaScript, because `npm start` reads flags before there is a package that could read TypeScript.

/** Further apart than a third of the letters, two names have nothing to do with each other. */
const CLOSE_ENOUGH = 1 / 3;
/** Two letters that changed places, in a short name. */
const TWO_SLIPS = 2;

/**
 * The known name that somebody most likely meant, or undefined when none is close.
 * @param {string} given
 * @param {readonly string[]} known
 * @returns {string | undefined}
 */
export function nearestName(given, known) {
  const typed = given.toLowerCase();
  const ranked = known
    .map((name) => ({ name, distance: typed.length > 64 ? Infinity : editDistance(typed, name) }))
    .sort((a, b) => a.distance - b.distance)[0];
  if (ranked === undefined) return undefined;
  return ranked.distance <= Math.max(TWO_SLIPS, ranked.name.length * CLOSE_ENOUGH) ? ranked.name : undefined;
}

/**
 * How many letters have to be put in, taken out or exchanged to make one text of the other (Levenshtein).
 * @param {string} a
 * @param {string} b
 */
function editDistance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [line, letter] of a.split("").entries()) {
    const next = [line + 1];
    for (let column = 0; column < b.length; column += 1) {
      const replaced = (row[column] ?? 0) + (letter === b[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
