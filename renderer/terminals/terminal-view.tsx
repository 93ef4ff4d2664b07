import "@xterm/xterm/css/xterm.css";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { TerminalSession } from "../../bridge/contract/api.ts";
import { KeyStrip } from "../ui/key-strip.tsx";
import { useApp, useAppStore } from "../ui/use-app.ts";
import { connectTerminal, type TerminalLink } from "./connect-terminal.ts";
import { copyText } from "../ui/copy.ts";
import { createTerminal, textOf, type TerminalParts } from "./create-terminal.ts";
import { FindBar } from "./find-bar.tsx";
import { LinkQuestion } from "./link-question.tsx";
import { goesElsewhere, SHORTCUTS, shortcutOf, type TerminalAction } from "./shortcuts.ts";
import { TabName } from "./tab-name.tsx";
import { TerminalBar } from "./terminal-bar.tsx";
import { scrollBack, type ScrollingBack } from "./scroll-back.ts";
import { isSelectionInView, scrollToSelection } from "./selection-in-view.ts";
import { TERMINAL_THEMES } from "./terminal-theme.ts";
import styles from "./terminal-view.module.css";
import { hasEnded } from "./terminals-slice.ts";
import { useLinks } from "./use-links.ts";
import { useLook } from "./use-look.ts";
import { useWindowShown } from "./use-window-shown.ts";
import { drawWithHardware } from "./webgl.ts";
import { WholeCommand } from "./whole-command.tsx";

const FIT_AFTER_MS = 60;
/** A bell is shown so long. */
const RINGS_MS = 3_000;

/** One session's tab: its output, the person's keys. It stays attached while hidden, but is sent nothing then. */
export function TerminalView(props: {
  session: TerminalSession;
  visible: boolean;
  /** Whether it is shown beside another; undefined where there is no other. */
  split: boolean | undefined;
  onSplit: () => void;
  /** Goes to the next tab up (-1) or down (1) the list. */
  onStep: (by: -1 | 1) => void;
  /** It is not shown any more, and keeps so many lines. */
  onHide: (lines: number) => void;
}) {
  const { session, visible, split, onSplit, onStep, onHide } = props;
  const store = useAppStore();
  const look = useLook();
  const windowShown = useWindowShown();
  /** Somebody may look at it. */
  const seen = visible && windowShown;
  const box = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const parts = useRef<TerminalParts>(null);
  const link = useRef<TerminalLink>(null);
  /** How often each was asked for since it is open; 0: it is not. Asked for again it gets the keys back. */
  const [finding, setFinding] = useState(0);
  const [naming, setNaming] = useState(0);
  const [command, setCommand] = useState(false);
  // Those of the bridge, not xterm's: one that rings while the tab is being opened, or while nobody looks, is shown too.
  const rung = useApp((state) => state.bellsSeen[session.session_id] ?? 0);
  /** So many of them were shown long enough. */
  const [heard, setHeard] = useState(rung);
  const links = useLinks(parts);
  const [closed, setClosed] = useState<string | null>(null);
  const firstLook = useEffectEvent(() => look);
  const clicked = useEffectEvent(links.clicked);
  /** Somebody works with what is selected, by keys that go to a line above the terminal. */
  const worksWithSelection = useEffectEvent(() => finding > 0 || (links.asked?.byKeys ?? 0) > 0);
  /** Drawn from the log, it is scrolled back to where it was when it was hidden. */
  const scrolling = useRef<ScrollingBack>(null);
  const outputBytes = useEffectEvent(() => session.output_bytes);
  const hidden = useEffectEvent(() => {
    const terminal = parts.current?.terminal;
    if (terminal === undefined) return;
    const { length, viewportY: line, baseY } = terminal.buffer.normal;
    onHide(length);
    // Passed while it was being drawn: where it was left is not forgotten.
    if (scrolling.current?.isUnderway === true) return;
    const full = length >= (terminal.options.scrollback ?? 0) + terminal.rows;
    store
      .getState()
      .leftTerminal(
        session.session_id,
        line < baseY ? { line, fromEnd: baseY - line, full, outputBytes: session.output_bytes } : undefined,
      );
  });
  const ended = hasEnded(session);

  // Before the terminal is made, so that it is still there when the page is left.
  useEffect(() => {
    if (!visible) return undefined;
    return () => hidden();
  }, [visible]);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const made = createTerminal(firstLook(), { link: (url) => clicked(url) });
    made.terminal.open(element);
    void drawWithHardware(made.terminal); // never rejects
    const left = store.getState().scrolledBack[session.session_id];
    const back = scrollBack(made.terminal, left, () => outputBytes());
    scrolling.current = back;
    const tied = connectTerminal({
      parts: made,
      attach: (on) => store.getState().attachTerminal(session.session_id, on),
      onClosed: setClosed,
      onRefused: (sentence) => store.getState().noteTerminal(session.session_id, sentence),
      onReplayed: back.replayed,
      onCut: back.cut,
    });
    parts.current = made;
    link.current = tied;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const fit = () => {
      // A hidden box has no size to fit to.
      if (element.clientWidth === 0) return;
      // With the line above it, the terminal loses its first lines.
      const follows = worksWithSelection() && isSelectionInView(made.terminal);
      tied.fit();
      if (follows) scrollToSelection(made.terminal);
    };
    // Before anything is drawn: rows that come later move the line to which it is scrolled back.
    fit();
    const observer = new ResizeObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(fit, FIT_AFTER_MS);
    });
    observer.observe(element);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      tied.close();
      made.terminal.dispose();
      parts.current = null;
      link.current = null;
      scrolling.current = null;
    };
  }, [store, session.session_id]);

  useEffect(() => {
    // It takes no focus by itself: what is typed into an agent's shell should be meant for it.
    link.current?.show(seen);
    // What it missed while it is hidden comes as a replay, too, and moves nothing.
    if (!seen && scrolling.current?.isUnderway === false) scrolling.current.giveUp();
  }, [seen]);
  useEffect(
    () => (seen ? store.getState().showsTerminal(session.session_id) : undefined),
    [store, seen, session.session_id],
  );
  useEffect(() => {
    if (seen) store.getState().sawBells(session.session_id, session.bells ?? 0);
  }, [store, seen, session.session_id, session.bells]);
  useEffect(() => {
    const timer = setTimeout(() => setHeard(rung), RINGS_MS);
    return () => clearTimeout(timer);
  }, [rung]);
  useEffect(() => {
    if (parts.current !== null) parts.current.terminal.options.theme = TERMINAL_THEMES[look];
  }, [look]);
  useEffect(() => {
    if (parts.current !== null) parts.current.terminal.options.disableStdin = ended;
  }, [ended]);

  const back = () => parts.current?.terminal.focus();
  const scrollsNoMore = () => scrolling.current?.giveUp();
  const act = (action: TerminalAction | "command") => {
    switch (action) {
      case "leave":
        bar.current?.querySelector("button")?.focus();
        return;
      case "find":
        setFinding((asked) => asked + 1);
        return;
      case "copy":
        void copyText(parts.current?.terminal.getSelection() ?? "");
        return;
      case "link":
        links.askBefore();
        return;
      case "rename":
        if (session.lost !== true) setNaming((asked) => asked + 1);
        return;
      case "command":
        setCommand(true);
        return;
      case "split":
        onSplit();
        return;
      case "newer":
      case "older":
        onStep(action === "newer" ? -1 : 1);
        return;
      case "go":
        return; // the window does it, wherever in it the focus is
    }
  };

  return (
    <div
      className={styles.view}
      hidden={!visible}
      onWheelCapture={scrollsNoMore}
      onPointerDownCapture={scrollsNoMore}
      // Before xterm keeps it for itself.
      onKeyDownCapture={(event) => {
        if (!goesElsewhere(event)) scrollsNoMore();
      }}
      onKeyDown={(event) => {
        const action = shortcutOf(event);
        if (action === null) return;
        event.preventDefault();
        act(action);
      }}
    >
      <TerminalBar
        barRef={bar}
        session={session}
        closed={closed}
        rings={rung > heard}
        noLink={links.none}
        split={split}
        onAct={act}
        textOf={() => (parts.current === null ? "" : textOf(parts.current.terminal))}
      />
      {naming > 0 && (
        <TabName
          asked={naming}
          name={session.name ?? ""}
          onName={(name) => void store.getState().renameTerminal(session.session_id, name)}
          onClose={() => {
            setNaming(0);
            back();
          }}
        />
      )}
      {command && <WholeCommand session={session} onClose={() => setCommand(false)} />}
      {finding > 0 && (
        <FindBar
          asked={finding}
          search={() => parts.current?.search}
          onClose={() => {
            setFinding(0);
            parts.current?.search.clearDecorations();
            back();
          }}
        />
      )}
      {links.asked !== null && (
        <LinkQuestion
          asked={links.asked.byKeys}
          url={links.asked.url}
          onOpen={(url) => void store.getState().openLink(session.session_id, url)}
          onClose={() => {
            links.leave();
            back();
          }}
        />
      )}
      <div className={styles.screen}>
        <div ref={box} className={styles.box} role="group" aria-label={`Terminal of ${session.agent}`} />
      </div>
      <KeyStrip>
        {SHORTCUTS.filter(({ what }) => what !== "name" || session.lost !== true).map(
          ({ keys, what }, index) => (
            <span key={keys}>
              {index === 1 && "Ctrl+Shift with "}
              <kbd>{keys}</kbd> {what}
            </span>
          ),
        )}
      </KeyStrip>
    </div>
  );
}
