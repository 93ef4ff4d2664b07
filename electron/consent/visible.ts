import type { ShownValue } from "../contract/consent.ts";
import { madeVisible } from "../contract/visible.ts";

/** A value as it is shown to the person who decides: what cannot be seen, or passes for something else, is written as ⟨U+200B⟩. Nothing is cut. */
export function shown(label: string, text: string): ShownValue {
  const visible = madeVisible(text);
  return { label: madeVisible(label), text: visible, altered: visible !== text };
}

/** An instant, in RFC 3339. What is none is shown as the text that it is. */
export const shownTime = (label: string, at: string): ShownValue =>
  Number.isNaN(Date.parse(at)) ? shown(label, at) : { ...shown(label, at), is: "time" };
