import { hrefTo } from "../store/route.ts";
import { LOADING } from "../store/reading.ts";
import { Frame } from "../ui/frame.tsx";
import { Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import styles from "./failure-history.module.css";

/** The failed calls that a breaker counted, newest first. Recovery and reset leave them. */
export function FailureHistory({ breakerKey }: { breakerKey: string }) {
  const failures = useApp((state) => state.breakerFailures[breakerKey]) ?? LOADING;
  return (
    <Frame reading={failures} what="the failures">
      {(list) => {
        if (list === null) return <p className={styles.none}>This engine does not tell its failures.</p>;
        if (list.length === 0) return <p className={styles.none}>No call has failed.</p>;
        return (
          <ol className={styles.list} aria-label="Failures, newest first">
            {list.map((failure) => (
              <li key={`${failure.failed_at} ${failure.run_id ?? ""}`} className={styles.failure}>
                <Time at={failure.failed_at} precise />
                <span className={styles.reason}>
                  {failure.reason}
                  {failure.opened && <span className={styles.opened}>the breaker opened</span>}
                </span>
                {failure.run_id !== undefined && <a href={hrefTo("runs", failure.run_id)}>Run</a>}
              </li>
            ))}
          </ol>
        );
      }}
    </Frame>
  );
}
