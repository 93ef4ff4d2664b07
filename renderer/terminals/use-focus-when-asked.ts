import { useEffect, useEffectEvent, useRef, type RefObject } from "react";

/** A field that gets the keys, with its text selected, when it is shown and whenever it is asked for again. */
export function useFocusWhenAsked(asked: number): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  const focus = useEffectEvent((times: number) => {
    if (times === 0) return;
    field.current?.focus();
    field.current?.select();
  });
  useEffect(() => focus(asked), [asked]);
  return field;
}
