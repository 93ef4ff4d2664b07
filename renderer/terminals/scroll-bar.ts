import type { Terminal } from "@xterm/xterm";

/** xterm hides its scroll bar so long after the last line, in ms. */
const REST_MS = 500;

export interface ScrollBarHold {
  /** Output has just come. */
  flows: () => void;
  close: () => void;
}

/**
 * xterm 6.0 shows its scroll bar while lines scroll, and for that it ends a timer and starts another at every line: a sixth
 * of its time in a flood. It sets none while the pointer is over the terminal. So while output flows it is told that the
 * pointer is, and that it left when output rests: the bar is shown and hidden as before, with one timer for a flood.
 */
export function holdScrollBar(terminal: Pick<Terminal, "element">): ScrollBarHold {
  let held: Element | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let flowed = false;

  function look() {
    timer = undefined;
    if (flowed) {
      flowed = false;
      timer = setTimeout(look, REST_MS);
    } else {
      // The real pointer may have come over it meanwhile; its leaving is told by the browser.
      if (held?.matches(":hover") === false) held.dispatchEvent(new MouseEvent("mouseleave"));
      held = undefined;
    }
  }

  return {
    flows() {
      flowed = true;
      if (timer !== undefined) return;
      held = terminal.element?.querySelector(".xterm-scrollable-element") ?? undefined;
      held?.dispatchEvent(new MouseEvent("mouseover"));
      timer = setTimeout(look, REST_MS);
    },
    close: () => clearTimeout(timer),
  };
}
