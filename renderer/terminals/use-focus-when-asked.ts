import { useEffect, useEffectEvent, useRef, type RefObject } from "react";

/** What gets the keys, a field with its text selected, when it is shown and whenever it is asked for again. */
export function useFocusWhenAsked<T extends HTMLElement>(asked: number): RefObject<T | null> {
  const element = useRef<T>(null);
  const focus = useEffectEvent((times: number) => {
    if (times === 0) return;
    element.current?.focus();
    if (element.current instanceof HTMLInputElement) element.current.select();
  });
  useEffect(() => focus(asked), [asked]);
  return element;
}
