import { Tabs } from "@base-ui/react/tabs";
import { useState } from "react";
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
import { keepRecent } from "./keep-recent.ts";
import { sessionLook } from "./session-look.ts";
import { TerminalHistory } from "./terminal-history.tsx";
import { TerminalView } from "./terminal-view.tsx";
import styles from "./terminals-page.module.css";

/** In the place of a session's id. */
const HISTORY = "history";

/** The tabs in which agents work, and a person watches. */
export function TerminalsPage() {
  const terminals = useApp((state) => state.terminals);
  const showsHistory = useApp((state) => state.route.id === HISTORY);
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
      {showsHistory && <TerminalHistory />}
      <div className={styles.live} hidden={showsHistory}>
        <Frame reading={terminals} what="the terminals">
          {(sessions) =>
            sessions.length === 0 ? (
              <Empty title="No terminal is open">
                <p>A tab opens here when an agent with the permission for terminals runs a command.</p>
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
  const open = sessions.find(({ session_id }) => session_id === wanted) ?? sessions[0];
  const openId = open?.session_id ?? "";
  const [recent, setRecent] = useState<readonly string[]>([]);
  const mounted = keepRecent(recent, openId);
  if (mounted !== recent) setRecent(mounted);
  return (
    <Tabs.Root
      className={styles.tabs}
      orientation="vertical"
      value={openId}
      onValueChange={(id: string) => goTo(formatRoute("terminals", id), "replace")}
    >
      <Tabs.List className={styles.list} aria-label="Terminals">
        {sessions.map((session) => (
          <Tabs.Tab key={session.session_id} value={session.session_id} className={styles.tab}>
            <span className={styles.line}>
              <Look look={sessionLook(session)} iconOnly />
              <span className={styles.agent}>{session.agent}</span>
              <Age at={session.started_at} />
            </span>
            <code className={styles.command}>{madeVisible(session.command)}</code>
            <span className={styles.end}>{endText(session) ?? ""}</span>
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {sessions.map((session) => (
        <Tabs.Panel
          key={session.session_id}
          value={session.session_id}
          keepMounted
          className={styles.panel}
          tabIndex={-1}
        >
          {mounted.includes(session.session_id) && (
            <TerminalView session={session} visible={session.session_id === openId && wanted !== HISTORY} />
          )}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
