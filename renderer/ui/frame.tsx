import { CircleAlert, CloudOff, Inbox } from "lucide-react";
import type { ReactNode } from "react";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { currentOf, reasonToSay } from "../store/apply-connections.ts";
import type { Reading } from "../store/reading.ts";
import { asSentence } from "./as-sentence.ts";
import styles from "./frame.module.css";
import { Age } from "./time.tsx";
import { useApp } from "./use-app.ts";

/**
 * Shows a reading in the state it is in: loading, failed, or its data, with a line above when that data is old. Four
 * things that must never look alike: nothing yet, nothing there, nothing new, and no answer.
 */
export function Frame<T>({
  reading,
  what,
  ofApp = false,
  children,
}: {
  reading: Reading<T>;
  /** What is read, in the middle of a sentence: `the runs`. */
  what: string;
  /** The app answers it itself: it is as current with the engine away as with it there. */
  ofApp?: boolean;
  children: (data: T) => ReactNode;
}) {
  const current = useApp(currentOf);
  const connection = ofApp ? undefined : current;
  if (reading.phase === "loading") return <Loading what={what} />;
  if (reading.phase === "failed") {
    const said = reasonToSay(connection, reading.problem.error);
    // The bar above the page says how a key is entered in the app; the tool server's hint is for those who start it alone.
    const { hint, ...bare } = reading.problem;
    const problem = connection?.state === "unauthorized" || hint === undefined ? bare : reading.problem;
    return <Failed what={what} problem={problem} said={said} />;
  }
  const away = connection !== undefined && connection.state !== "connected";
  const reason = reasonToSay(connection, reading.phase === "stale" ? reading.problem.error : null);
  return (
    <>
      {(reading.phase === "stale" || away) && <Stale at={reading.at} reason={reason} />}
      {children(reading.data)}
    </>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <div className={styles.loading} role="status">
      <span className="visually-hidden">Loading {what}</span>
      {[72, 54, 64, 40, 58, 48].map((width) => (
        <span key={width} className={styles.bone} style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}

export function Failed({
  what,
  problem,
  said = problem.error,
}: {
  what: string;
  problem: ToolError;
  /** The sentence about it; null where it is on screen already. */
  said?: string | null;
}) {
  return (
    <div className={styles.notice} data-kind="failed" role="alert">
      <CircleAlert aria-hidden="true" size={20} />
      <h2>Could not read {what}</h2>
      {said !== null && <p data-selectable>{asSentence(said)}</p>}
      {problem.hint !== undefined && <p>{asSentence(problem.hint)}</p>}
      <p className={styles.hint}>
        It is tried again every few seconds. Code: <code>{problem.code}</code>
      </p>
    </div>
  );
}

function Stale({ at, reason }: { at: number; reason: string | null }) {
  return (
    <p className={styles.stale} role="status">
      <CloudOff aria-hidden="true" size={14} />
      <strong>
        Not current: read <Age at={at} />
      </strong>
      {reason !== null && (
        <span className={styles.reason} title={reason}>
          {asSentence(reason)}
        </span>
      )}
    </p>
  );
}

/** There is nothing, and that is the answer. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.notice} data-kind="empty">
      <Inbox aria-hidden="true" size={20} />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
