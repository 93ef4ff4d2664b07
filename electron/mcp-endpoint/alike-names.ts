/** Signs of a name that are drawn alike in common fonts, each group as one of them. */
const DRAWN_ALIKE: readonly (readonly [RegExp, string])[] = [
  [/[Il1|]/g, "l"],
  [/[O0o]/g, "o"],
  [/[S5s]/g, "s"],
  [/[Z2z]/g, "z"],
  [/[B8]/g, "b"],
  [/[ıɩ]/g, "i"],
  [/ɡ/g, "g"],
  [/rn/gi, "m"],
  [/vv/gi, "w"],
  [/cl/g, "d"],
];
const SEPARATORS = /[ ._()-]+/g;
/** What stands on or under a letter, and is easily overlooked there. */
const MARKS = /\p{M}+/gu;

/**
 * Whether a person who reads one name may take it for the other: they differ at most in case, in what stands between their
 * words, on their letters, or in signs that are drawn alike. By an agent's or an engine's name the person decides.
 */
export function lookAlike(a: string, b: string): boolean {
  return plain(a) === plain(b) || drawn(a) === drawn(b);
}

const bare = (name: string): string =>
  name.normalize("NFKD").replaceAll(MARKS, "").replaceAll(SEPARATORS, "");
const plain = (name: string): string => bare(name).toLowerCase();

const drawn = (name: string): string =>
  plain(DRAWN_ALIKE.reduce((text, [signs, one]) => text.replaceAll(signs, one), bare(name)));
