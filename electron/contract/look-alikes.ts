/**
 * Letters of other scripts that are drawn like Latin ones in common fonts (a part of Unicode's confusables: the letters of
 * Cyrillic, Greek, Armenian and Cherokee that pass for a Latin letter or a digit).
 */
const LIKE_LATIN = new Set(
  [
    "АВЕЅІЈКМНОРСТУХЗЬҮԌԚԜӀӏаеѕіјорсухүһԁԛԝɡҽѴѵ", // Cyrillic (and the Latin script g)
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϲανορυχϳι", // Greek
    "ՍՕԼօսոհզցքյ", // Armenian
    "ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᎽᏀᏂᏃᏎᏔᏙᏚᏞᏟᏢᏦᏧᏴ", // Cherokee
  ].flatMap((letters) => Array.from(letters)),
);

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const LATIN = /\p{Script=Latin}/u;
const LETTER = /\p{L}/u;
/** A letter and the marks on it. */
const MARKED = /\P{M}\p{M}+/gu;

/**
 * The positions (in UTF-16 units) of characters that pass for others: letters that look Latin in a word that is, or as a
 * whole looks, Latin; letters and digits of another form (full width, mathematical); marks that have a letter of their own.
 */
export function lookAlikes(text: string): Set<number> {
  const found = new Set<number>();
  for (const { 0: word, index } of text.matchAll(WORD)) {
    const characters = Array.from(word);
    const others = characters.filter((character) => LETTER.test(character) && !LATIN.test(character));
    const whole = others.length > 0 && others.every((character) => LIKE_LATIN.has(character));
    const passes = characters.some((character) => LATIN.test(character)) || whole;
    let at = index;
    for (const character of characters) {
      if ((passes && LIKE_LATIN.has(character)) || isOtherForm(character)) found.add(at);
      at += character.length;
    }
  }
  for (const { 0: marked, index } of text.matchAll(MARKED)) {
    if (marked.normalize("NFC") === marked) continue;
    const [base = ""] = marked;
    for (let at = base.length; at < marked.length; at += 1) found.add(index + at);
  }
  return found;
}

/** Stands for ASCII, and is not: `Ａ`, `𝐀`, `ℂ`, the Kelvin sign. */
function isOtherForm(character: string): boolean {
  if (character.charCodeAt(0) < 0x80) return false;
  const plain = character.normalize("NFKC");
  return plain !== character && /^[\x20-\x7e]+$/.test(plain);
}
