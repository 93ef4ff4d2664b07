import { useEffect, useEffectEvent, useRef, useState, type FocusEvent, type RefObject } from "react";

/** What is hidden or closed loses the focus: whoever works with the keyboard goes on in what comes in its place. */
export function useKeysFollow(options: {
  openId: string;
  besideId: string | undefined;
  /** The tab that was chosen, which may be gone or still to come; null: the newest is open, whatever comes. */
  chosenId: string | null;
  choose: (id: string) => void;
}): {
  /** Around the tabs that are shown. */
  stage: RefObject<HTMLDivElement | null>;
  /** For what holds the stage and the list of tabs. */
  onFocus: (event: FocusEvent) => void;
  /** For the same. */
  onBlur: (event: FocusEvent) => void;
  /** The keys of the terminal that is about to be hidden are meant for this one. */
  stepTo: (id: string) => void;
} {
  const { openId, besideId, chosenId, choose } = options;
  const stage = useRef<HTMLDivElement>(null);
  /** Where the focus was last; undefined when it went elsewhere. */
  const worked = useRef<"tab" | "list">(undefined);
  const stepped = useRef<string | null>(null);
  /** The last chosen tab that was there. Not there any more, it is as if none was chosen; one that runs again is still to come. */
  const [wasThere, setWasThere] = useState<string | null>(null);
  if (chosenId === openId && wasThere !== chosenId) setWasThere(chosenId);
  const choice = chosenId !== openId && chosenId === wasThere ? null : chosenId;

  const follow = useEffectEvent((shown: readonly (string | undefined)[]) => {
    const terminal = stepped.current;
    stepped.current = null;
    const active = document.activeElement;
    if (worked.current !== "tab" || (active !== document.body && active?.closest("[inert]") == null)) return;
    const id = terminal !== null && shown.includes(terminal) ? terminal : shown[0];
    const panel = stage.current?.querySelector(`[data-session="${id}"]`);
    panel?.querySelector<HTMLElement>(id === terminal ? "textarea" : "button")?.focus();
  });
  useEffect(() => follow([openId, besideId]), [openId, besideId]);

  /** With the last tab nothing comes in its place but the page. */
  const goOn = useEffectEvent(() => {
    if (worked.current !== undefined && document.activeElement === document.body)
      document.getElementById("main")?.focus();
  });
  useEffect(() => () => goOn(), []);

  /** Where somebody works, no newer tab comes in between. */
  function stay(chosen: string | null, open: string) {
    if (chosen === null && stage.current?.contains(document.activeElement) === true) choose(open);
  }
  const stayNow = useEffectEvent(stay);
  useEffect(() => stayNow(choice, openId), [choice, openId]);

  return {
    stage,
    onFocus({ target }) {
      worked.current = stage.current?.contains(target) === true ? "tab" : "list";
      stay(choice, openId);
    },
    onBlur({ currentTarget, relatedTarget }) {
      // With no target what had the focus is gone, or the window has lost it.
      if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) worked.current = undefined;
    },
    stepTo(id) {
      stepped.current = id;
    },
  };
}
