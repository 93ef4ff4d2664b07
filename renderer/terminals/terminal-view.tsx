import "@xterm/xterm/css/xterm.css";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { TerminalSession } from "../../bridge/contract/api.ts";
import { useAppStore } from "../ui/use-app.ts";
import { connectTerminal, type TerminalLink } from "./connect-terminal.ts";
import { createTerminal, textOf, type TerminalParts } from "./create-terminal.ts";
import { FindBar } from "./find-bar.tsx";
import { LinkQuestion } from "./link-question.tsx";
import { TerminalBar } from "./terminal-bar.tsx";
import { TERMINAL_THEMES } from "./terminal-theme.ts";
import styles from "./terminal-view.module.css";
import { hasEnded } from "./terminals-slice.ts";
import { useLook } from "./use-look.ts";

const FIT_AFTER_MS = 60;

/** One session's tab: its output, the person's keys. It stays attached while hidden, but is sent nothing then. */
export function TerminalView({ session, visible }: { session: TerminalSession; visible: boolean }) {
  const store = useAppStore();
  const look = useLook();
  const box = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const parts = useRef<TerminalParts>(null);
  const link = useRef<TerminalLink>(null);
  const [finding, setFinding] = useState(false);
  const [linked, setLinked] = useState<string | null>(null);
  const [closed, setClosed] = useState<string | null>(null);
  const firstLook = useEffectEvent(() => look);
  const ended = hasEnded(session);

  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const made = createTerminal(firstLook(), {
      leave: () => bar.current?.querySelector("button")?.focus(),
      find: () => setFinding(true),
      link: setLinked,
    });
    made.terminal.open(element);
    const tied = connectTerminal({
      parts: made,
      attach: (on) => store.getState().attachTerminal(session.session_id, on),
      // The list tells the same of every session, this one included.
      onSession: () => {},
      onClosed: setClosed,
    });
    parts.current = made;
    link.current = tied;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new ResizeObserver(() => {
      clearTimeout(timer);
      // A hidden box has no size to fit to.
      if (element.clientWidth > 0) timer = setTimeout(() => tied.fit(), FIT_AFTER_MS);
    });
    observer.observe(element);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      tied.close();
      made.terminal.dispose();
      parts.current = null;
      link.current = null;
    };
  }, [store, session.session_id]);

  useEffect(() => {
    // It takes no focus by itself: what is typed into an agent's shell should be meant for it.
    link.current?.show(visible);
  }, [visible]);
  useEffect(() => {
    if (parts.current !== null) parts.current.terminal.options.theme = TERMINAL_THEMES[look];
  }, [look]);
  useEffect(() => {
    if (parts.current !== null) parts.current.terminal.options.disableStdin = ended;
  }, [ended]);

  return (
    <div className={styles.view} hidden={!visible}>
      <TerminalBar
        barRef={bar}
        session={session}
        closed={closed}
        onFind={() => setFinding(true)}
        textOf={() => (parts.current === null ? "" : textOf(parts.current.terminal))}
      />
      {finding && (
        <FindBar
          search={() => parts.current?.search}
          onClose={() => {
            setFinding(false);
            parts.current?.search.clearDecorations();
            parts.current?.terminal.focus();
          }}
        />
      )}
      {linked !== null && (
        <LinkQuestion
          url={linked}
          onOpen={() => void store.getState().openLink(session.session_id, linked)}
          onClose={() => {
            setLinked(null);
            parts.current?.terminal.focus();
          }}
        />
      )}
      <div className={styles.screen} data-ended={ended}>
        <div ref={box} className={styles.box} role="group" aria-label={`Terminal of ${session.agent}`} />
      </div>
      <p className={styles.keys}>
        <kbd>F6</kbd> leaves the terminal · <kbd>Ctrl+Shift+F</kbd> finds · <kbd>Ctrl+Shift+C</kbd> copies
      </p>
    </div>
  );
}
