import {
  Bell,
  Columns2,
  FileText,
  Film,
  Pencil,
  RotateCw,
  ScrollText,
  Search,
  Square,
  X,
  type LucideIcon,
} from "lucide-react";
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

const LOST_NOTE = "The terminal bridge crashed: what this tab does not show any more is gone.";

/** Whose tab it is, what runs in it, how it ended, and the ways to stop and close it. */
export function TerminalBar(props: {
  barRef: Ref<HTMLDivElement>;
  session: TerminalSession;
  /** Why nothing more arrives, when the tab lost its session. */
  closed: string | null;
  /** It has just rung. */
  rings: boolean;
  /** The keyboard has just asked for a link, and there is none. */
  noLink: boolean;
  /** Whether it is one of two that are shown side by side. Undefined where there is nothing to show beside it. */
  split: boolean | undefined;
  onAct: (action: "find" | "rename" | "split" | "command") => void;
  textOf: () => string;
}) {
  const { barRef, session, closed, rings, noLink, split, onAct, textOf } = props;
  const id = session.session_id;
  /** There is nothing to ask the bridge for. */
  const lost = session.lost === true;
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
      <div className={styles.parts}>
        <div className={styles.title}>
          <strong className={styles.agent}>
            {session.name === undefined ? session.agent : madeVisible(session.name)}
          </strong>
          {session.name !== undefined && <span className={styles.by}>{session.agent}</span>}
          <code className={styles.command} title={command}>
            {command}
          </code>
        </div>
        <div className={styles.tools}>
          <Tool label="Find in the output" title="Find" icon={Search} onClick={() => onAct("find")} />
          {!lost && (
            <>
              <Tool label="Rename this tab" icon={Pencil} onClick={() => onAct("rename")} />
              <Tool label="Show the whole command" icon={ScrollText} onClick={() => onAct("command")} />
            </>
          )}
          {split !== undefined && (
            <Tool
              label={split ? "Close the split" : "Show another tab beside this one"}
              pressed={split}
              icon={Columns2}
              onClick={() => onAct("split")}
            />
          )}
          <CopyButton label="Copy the selection, or all output" text={textOf} />
          {!lost && (
            <>
              <Tool
                label="Save the output as text"
                title="Save as text"
                icon={FileText}
                onClick={() => void save(id, "text")}
              />
              <Tool
                label="Save a recording (asciicast)"
                icon={Film}
                onClick={() => void save(id, "asciicast")}
              />
            </>
          )}
        </div>
        <div className={styles.actions}>
          {hasEnded(session) ? (
            <>
              {!lost && (
                <Button
                  icon={<RotateCw aria-hidden="true" size={14} />}
                  title="Run the same command again"
                  onClick={() => void restart(id)}
                >
                  Restart
                </Button>
              )}
              <Button icon={<X aria-hidden="true" size={14} />} onClick={() => void close(id)}>
                Close
              </Button>
            </>
          ) : (
            <Button
              look="danger"
              refused={stopping ? "It is being stopped" : undefined}
              icon={<Square aria-hidden="true" size={12} fill="currentColor" />}
              onClick={() => void stop(id)}
            >
              {stopping ? "Stopping…" : "Stop"}
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
          {session.command_chars !== undefined && (
            <span className={styles.warn}>
              the command is longer than what is shown: {session.command_chars.toLocaleString("en")}{" "}
              characters
            </span>
          )}
          {session.left_behind > 0 && (
            <span className={styles.warn}>
              {session.left_behind === 1 ? "1 process lives on" : `${session.left_behind} processes live on`}
            </span>
          )}
        </p>
      </div>
      <p role="status" className={styles.note}>
        {rings && (
          <span className={styles.bell}>
            <Bell aria-hidden="true" size={12} /> Bell
          </span>
        )}
        {noLink ? "There is no link in the output." : lost ? (note ?? LOST_NOTE) : (closed ?? note ?? "")}
      </p>
    </div>
  );
}

/** A button that is a picture. `title` is what a pointer reads where that is shorter than what it is called. */
function Tool(props: {
  label: string;
  title?: string;
  pressed?: boolean;
  icon: LucideIcon;
  onClick: () => void;
}) {
  const { label, title = label, pressed, icon: Icon, onClick } = props;
  return (
    <Button
      look="quiet"
      aria-label={label}
      aria-pressed={pressed}
      title={title}
      icon={<Icon aria-hidden="true" size={14} />}
      onClick={onClick}
    />
  );
}
