import { lookAlikes } from "./look-alikes.ts";

/**
 * What a reader cannot see, or what changes how the rest is read: controls, formats (bidirectional marks among them),
 * unassigned and private characters, halves of a pair, every kind of space but the plain one, line separators, characters
 * that are drawn as nothing. The brackets that mark them are marked too, so the marks cannot be forged.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u27e8\u27e9]|(?! )\p{Zs}/u;

/**
 * A text that comes from an agent, as every window of ours draws it: what cannot be seen, would make the rest read
 * differently, or passes for another character is written as ⟨U+200B⟩. Different texts stay different. Nothing is cut.
 */
export function madeVisible(text: string): string {
  const marks = lookAlikes(text);
  let visible = "";
  let at = 0;
  for (const character of text) {
    visible += marks.has(at) || UNSEEN.test(character) ? mark(character) : character;
    at += character.length;
  }
  return visible;
}

function mark(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}
