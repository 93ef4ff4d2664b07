/**
 * What a reader cannot see, or what changes how the rest is read: controls, formats (bidirectional marks among them),
 * unassigned and private characters, halves of a pair, every kind of space but the plain one, line separators, characters
 * that are drawn as nothing. The brackets that mark them are marked too, so the marks cannot be forged.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u27e8\u27e9]|(?! )\p{Zs}/gu;

/**
 * A text that comes from an agent, as every window of ours draws it: what cannot be seen, or would make the rest read
 * differently, is written as ⟨U+200B⟩. Different texts stay different. Nothing is cut.
 */
export function madeVisible(text: string): string {
  return text.replaceAll(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}
