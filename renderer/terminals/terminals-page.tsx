import { Tabs } from "@base-ui/react/tabs";
import { Bell } from "lucide-react";
import { useState, type CSSProperties } from "react";
import type { TerminalSession } from "../../bridge/contract/api.ts";
import { madeVisible } from "../../electron/contract/visible.ts";
import { goTo } from "../store/navigation.ts";
import { formatRoute, hrefTo } from "../store/route.ts";
import { Empty, Frame } from "../ui/frame.tsx";
import { Page } from "../ui/page.tsx";
import { Look } from "../ui/status.tsx";
import { Age } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { endText } from "./end-text.ts";
import { keepRecent, letGo } from "./keep-recent.ts";
import { sessionLook } from "./session-look.ts";
import { SplitSeparator } from "./split-separator.tsx";
import { TerminalHistory } from "./terminal-history.tsx";
import { TerminalView } from "./terminal-view.tsx";
import styles from "./terminals-page.module.css";
import { useKeysFollow } from "./use-keys-follow.ts";
import { WaitingCommand } from "./waiting-command.tsx";

/** In the place of a session's id. */
const HISTORY = "history";

/** The tabs in which agents work, and a person watches. */
export function TerminalsPage() {
  const terminals = useApp((state) => state.terminals);
  const showsHistory = useApp((state) => state.route.id === HISTORY);
  const processId = useApp((state) => state.route.query["process"]);
  return (
    <Page title="Terminals">
      <nav className={styles.views} aria-label="Views of the terminals">
        <a href={hrefTo("terminals")} aria-current={showsHistory ? undefined : "page"}>
          Tabs
        </a>
        <a href={hrefTo("terminals", HISTORY)} aria-current={showsHistory ? "page" : undefined}>
          What agents started
        </a>
      </nav>
      <WaitingCommand />
      {showsHistory && (
        <TerminalHistory
          openId={processId ?? null}
          onOpen={(id) => goTo(formatRoute("terminals", HISTORY, id === null ? {} : { process: id }))}
        />
      )}
      <div className={styles.live} hidden={showsHistory}>
        <Frame reading={terminals} what="the terminals" ofApp>
          {(sessions) =>
            sessions.length === 0 ? (
              <Empty title="No terminal is open">
                <p>
                  A tab opens here when an agent runs a command. Its token needs the permission Terminals,
                  which you give under Agents.
                </p>
                <p>An agent's first command waits for your answer before it runs.</p>
              </Empty>
            ) : (
              <Sessions sessions={sessions} />
            )
          }
        </Frame>
      </div>
    </Page>
  );
}

function Sessions({ sessions }: { sessions: readonly TerminalSession[] }) {
  const wanted = useApp((state) => state.route.id);
  const besideWanted = useApp((state) => state.route.query["beside"]);
  const seen = useApp((state) => state.bellsSeen);
  const open = sessions.find(({ session_id }) => session_id === wanted) ?? sessions[0];
  const openId = open?.session_id ?? "";
  const besideId = sessions.find(
    ({ session_id }) => session_id === besideWanted && session_id !== openId,
  )?.session_id;
  const [recent, setRecent] = useState<readonly string[]>([]);
  const [share, setShare] = useState(50);
  /** Of the tabs that were hidden, how many lines each had then. */
  const [hiddenLines, setHiddenLines] = useState<ReadonlyMap<string, number>>(new Map());
  const shownIds = new Set([openId, besideId ?? ""]);
  const mounted = letGo(keepRecent(keepRecent(recent, besideId ?? ""), openId), shownIds, hiddenLines);
  if (mounted.join() !== recent.join()) setRecent(mounted);
  /** What was beside takes the place of what it was beside. */
  const go = (id: string) => {
    const beside = besideId === id ? openId : besideId;
    goTo(formatRoute("terminals", id, beside === undefined ? {} : { beside }), "replace");
  };
  const { stage, onFocus, onBlur, stepTo } = useKeysFollow({
    openId,
    besideId,
    chosenId: wanted,
    choose: go,
  });
  /** In the place of the tab in which the keys were pressed comes the next one, up or down, that is not shown yet. */
  const step = (from: string, by: -1 | 1) => {
    const beside = from === besideId;
    const others = sessions.filter(
      ({ session_id: id }) => id === from || id !== (beside ? openId : besideId),
    );
    const at = others.findIndex(({ session_id }) => session_id === from);
    const next = others[(at + by + others.length) % others.length]?.session_id;
    if (next === undefined || next === from) return;
    stepTo(next);
    if (beside) goTo(formatRoute("terminals", openId, { beside: next }), "replace");
    else go(next);
  };
  const split = () => {
    // What was looked at before, else what is next in the list.
    const other = mounted.find((id) => id !== openId && sessions.some((one) => one.session_id === id));
    const next = other ?? sessions.find(({ session_id }) => session_id !== openId)?.session_id;
    goTo(
      formatRoute("terminals", openId, besideId !== undefined || next === undefined ? {} : { beside: next }),
      "replace",
    );
  };
  const rings = sessions.filter(
    ({ session_id, bells = 0 }) => bells > (seen[session_id] ?? 0) && session_id !== openId,
  );
  return (
    <Tabs.Root
      className={styles.tabs}
      orientation="vertical"
      value={openId}
      onFocus={onFocus}
      onBlur={onBlur}
    >
      <Tabs.List className={styles.list} aria-label="Terminals">
        {sessions.map((session) => (
          <Tabs.Tab
            key={session.session_id}
            value={session.session_id}
            className={styles.tab}
            onClick={() => go(session.session_id)}
            data-beside={session.session_id === besideId || undefined}
          >
            <span className={styles.line}>
              <Look look={sessionLook(session)} iconOnly />
              <span className={styles.agent}>
                {session.name === undefined ? session.agent : madeVisible(session.name)}
              </span>
              {rings.includes(session) && (
                <span className={styles.bell} title="It rang the bell">
                  <Bell aria-hidden="true" size={12} />
                  <span className="visually-hidden">rang the bell</span>
                </span>
              )}
              <Age at={session.started_at} />
            </span>
            <code className={styles.command}>{madeVisible(session.command)}</code>
            <span className={styles.end}>
              {session.name === undefined ? "" : `${session.agent}${endText(session) === null ? "" : " · "}`}
              {endText(session) ?? ""}
            </span>
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <p role="status" className="visually-hidden">
        {rings
          .map(
            ({ agent, name }) =>
              `The bell rang in ${name === undefined ? `a terminal of ${agent}` : madeVisible(name)}.`,
          )
          .join(" ")}
      </p>
      <div ref={stage} className={styles.stage} style={{ "--share": `${share}%` } as CSSProperties}>
        {sessions.map((session) => {
          const { session_id } = session;
          const shown = shownIds.has(session_id);
          return (
            <Tabs.Panel
              key={session_id}
              value={session_id}
              keepMounted
              className={styles.panel}
              data-session={session_id}
              data-place={session_id === besideId ? "beside" : besideId === undefined ? undefined : "left"}
              hidden={!shown}
              inert={!shown}
              tabIndex={-1}
            >
              {mounted.includes(session_id) && (
                <TerminalView
                  session={session}
                  visible={shown && wanted !== HISTORY}
                  split={sessions.length < 2 ? undefined : besideId !== undefined}
                  onSplit={split}
                  onStep={(by) => step(session_id, by)}
                  onHide={(lines) =>
                    setHiddenLines((before) =>
                      new Map([...before].filter(([id]) => mounted.includes(id))).set(session_id, lines),
                    )
                  }
                />
              )}
            </Tabs.Panel>
          );
        })}
        {besideId !== undefined && <SplitSeparator share={share} onShare={setShare} />}
      </div>
    </Tabs.Root>
  );
}
