import type { RunAttempt } from "../../mcp/contract/domain.ts";
import { Time } from "../ui/time.tsx";
import styles from "./attempts.module.css";

/** The attempts that failed, oldest first: what each one said, and when. */
export function Attempts({ attempts }: { attempts: readonly RunAttempt[] }) {
  return (
    <section aria-label="Failed attempts">
      <h3 className={styles.heading}>
        Failed attempts <span className={styles.count}>{attempts.length}</span>
      </h3>
      <ol className={styles.list}>
        {attempts.map(({ attempt, kind, error, failed_at }) => (
          <li key={`${attempt} ${failed_at}`} className={styles.attempt}>
            <span className={styles.number}>{attempt}</span>
            <span className={styles.message}>
              {error.message || "It gives no message."}
              {kind === "transport" && <span className={styles.kind}>the call to the function failed</span>}
            </span>
            <Time at={failed_at} precise />
          </li>
        ))}
      </ol>
    </section>
  );
}
