/** How near a match is to what was meant, best first. Within one kind: where it is, or how far its letters lie apart. */
const COST = { start: 0, word: 100, inside: 200, scattered: 300, aside: 400 } as const;
const STEP_MAX = 99;

/** What an item is found by: its name, and what is shown beside it. */
export type Found = { readonly title: string; readonly aside: string };

/** A text without case, accents and width of letters. */
const folded = (text: string): string => text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** The items in which every word of the query occurs, nearest first; equals stay in their order. All of them for none. */
export function rank<T>(query: string, items: readonly T[], textsOf: (item: T) => Found): readonly T[] {
  const words = folded(query)
    .split(/\s+/u)
    .filter((word) => word !== "");
  if (words.length === 0) return items;
  return items
    .flatMap((item) => {
      const texts = textsOf(item);
      const [title, aside] = [folded(texts.title), folded(texts.aside)];
      const cost = words.reduce((sum, word) => sum + costOf(word, title, aside), 0);
      return cost === Infinity ? [] : [{ item, cost, length: title.length }];
    })
    .sort((a, b) => a.cost - b.cost || a.length - b.length)
    .map(({ item }) => item);
}

function costOf(word: string, title: string, aside: string): number {
  const inTitle = Math.min(whole(word, title), scattered(word, title));
  return inTitle === Infinity ? COST.aside + whole(word, aside) : inTitle;
}

function whole(word: string, text: string): number {
  const first = text.indexOf(word);
  if (first <= 0) return first === 0 ? COST.start : Infinity;
  for (let at = first; at !== -1; at = text.indexOf(word, at + 1))
    if (startsWord(text, at)) return COST.word + Math.min(at, STEP_MAX);
  return COST.inside + Math.min(first, STEP_MAX);
}

/** The word's letters in their order, the first of them at the start of a word: "dltr" in "dead letters". */
function scattered(word: string, text: string): number {
  const [first = "", ...rest] = word;
  let best = Infinity;
  for (let start = text.indexOf(first); start !== -1; start = text.indexOf(first, start + 1)) {
    if (!startsWord(text, start)) continue;
    let end = start + first.length;
    for (const letter of rest) {
      const at = text.indexOf(letter, end);
      if (at === -1) return best; // nor from any later start
      end = at + letter.length;
    }
    best = Math.min(best, COST.scattered + Math.min(end - start - word.length, STEP_MAX));
  }
  return best;
}

const startsWord = (text: string, at: number): boolean => !/[\p{L}\p{N}]/u.test(text[at - 1] ?? " ");
