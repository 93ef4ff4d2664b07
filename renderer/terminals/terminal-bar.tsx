import { FileText, Film, RotateCw, Search, Square, X } from "lucide-react";
import type { Ref } from "react";
import type { TerminalSession } from "../../bridge/contract/api.ts";
import { madeVisible } from "../../electron/contract/visible.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Look } from "../ui/status.tsx";
import { Duration } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { endText } from "./end-text.ts";
import { sessionLook } from "./session-look.ts";
import styles from "./terminal-bar.module.css";
import { hasEnded } from "./terminals-slice.ts";

/** Whose tab it is, what runs in it, how it ended, and the ways to stop and close it. */
export function TerminalBar(props: {
  barRef: Ref<HTMLDivElement>;
  session: TerminalSession;
  /** Why nothing more arrives, when the tab lost its session. */
  closed: string | null;
  onFind: () => void;
  textOf: () => string;
}) {
  const { barRef, session, closed, onFind, textOf } = props;
  const id = session.session_id;
  const note = useApp((state) => state.terminalNotes[id]);
  const stopping = useApp((state) => state.stopping.has(id));
  const stop = useApp((state) => state.stopTerminal);
  const close = useApp((state) => state.closeTerminal);
  const restart = useApp((state) => state.restartTerminal);
  const save = useApp((state) => state.saveTranscript);
  const end = endText(session);
  const command = madeVisible(session.command);
  return (
    <div ref={barRef} className={styles.bar}>
      <div className={styles.top}>
        <strong className={styles.agent}>{session.agent}</strong>
        <code className={styles.command} title={command}>
          {command}
        </code>
        <Button
          look="quiet"
          aria-label="Find in the output"
          title="Find"
          icon={<Search aria-hidden="true" size={14} />}
          onClick={onFind}
        />
        <CopyButton label="Copy the selection, or all output" text={textOf} />
        <Button
          look="quiet"
          aria-label="Save the output as text"
          title="Save as text"
          icon={<FileText aria-hidden="true" size={14} />}
          onClick={() => void save(id, "text")}
        />
        <Button
          look="quiet"
          aria-label="Save a recording (asciicast)"
          title="Save a recording (asciicast)"
          icon={<Film aria-hidden="true" size={14} />}
          onClick={() => void save(id, "asciicast")}
        />
        {hasEnded(session) && (
          <Button
            icon={<RotateCw aria-hidden="true" size={14} />}
            title="Run the same command again"
            onClick={() => void restart(id)}
          >
            Restart
          </Button>
        )}
        {!hasEnded(session) && (
          <Button
            look="danger"
            refused={stopping ? "It is being stopped" : undefined}
            icon={<Square aria-hidden="true" size={12} fill="currentColor" />}
            onClick={() => void stop(id)}
          >
            {stopping ? "Stopping…" : "Stop"}
          </Button>
        )}
        {hasEnded(session) && (
          <Button icon={<X aria-hidden="true" size={14} />} onClick={() => void close(id)}>
            Close
          </Button>
        )}
      </div>
      <p className={styles.facts}>
        <Look look={sessionLook(session)} />
        {end !== null && <span className={styles.end}>{end}</span>}
        <span>
          <Duration from={session.started_at} to={session.ended_at ?? undefined} />
        </span>
        <span className={styles.where} title={session.shell}>
          {madeVisible(session.cwd)}
        </span>
        {session.left_behind > 0 && (
          <span className={styles.warn}>
            {session.left_behind === 1 ? "1 process lives on" : `${session.left_behind} processes live on`}
          </span>
        )}
      </p>
      <p role="status" className={styles.note}>
        {closed ?? note ?? ""}
      </p>
    </div>
  );
}
