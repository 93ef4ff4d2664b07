/** Signs of a token's name that are drawn alike in common fonts, each group as one of them. */
const DRAWN_ALIKE: readonly (readonly [RegExp, string])[] = [
  [/[Il1|]/g, "l"],
  [/[O0o]/g, "o"],
  [/[S5s]/g, "s"],
  [/[Z2z]/g, "z"],
  [/[B8]/g, "b"],
  [/rn/gi, "m"],
  [/vv/gi, "w"],
  [/cl/g, "d"],
];
const SEPARATORS = /[ ._-]+/g;

/**
 * Whether a person who reads one name may take it for the other: they differ at most in case, in what stands between their
 * words, or in signs that are drawn alike. A token's name is its agent's identity wherever the person decides.
 */
export function lookAlike(a: string, b: string): boolean {
  return plain(a) === plain(b) || drawn(a) === drawn(b);
}

const plain = (name: string): string => name.toLowerCase().replaceAll(SEPARATORS, "");

const drawn = (name: string): string =>
  plain(
    DRAWN_ALIKE.reduce((text, [signs, one]) => text.replaceAll(signs, one), name.replaceAll(SEPARATORS, "")),
  );
