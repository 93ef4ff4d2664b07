import type { ShownValue } from "../contract/consent.ts";
import { madeVisible } from "../contract/visible.ts";

/** A value as it is shown to the person who decides: what cannot be seen, or passes for something else, is written as ⟨U+200B⟩. Nothing is cut. */
export function shown(label: string, text: string): ShownValue {
  const visible = madeVisible(text);
  return { label: madeVisible(label), text: visible, altered: visible !== text };
}
