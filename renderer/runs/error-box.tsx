import type { RunErrorInfo } from "../../mcp/contract/domain.ts";
import { Callout } from "../ui/callout.tsx";
import styles from "./error-box.module.css";

/** An error as the function reported it: its message, what kind it is, and its stack behind a fold. */
export function ErrorBox({ title, error }: { title: string; error: RunErrorInfo }) {
  const notes = [
    error.code,
    error.retryable === undefined ? undefined : error.retryable ? "may be retried" : "not to be retried",
  ].filter((note) => note !== undefined && note !== "");
  return (
    <Callout tone="bad" title={title}>
      <p className={styles.message}>{error.message || "It gives no message."}</p>
      {notes.length > 0 && <p className={styles.notes}>{notes.join(" · ")}</p>}
      {error.stack !== undefined && error.stack !== "" && (
        <details>
          <summary className={styles.summary}>Stack</summary>
          <pre className={styles.stack} tabIndex={0} aria-label="Stack">
            {error.stack}
          </pre>
        </details>
      )}
    </Callout>
  );
}
