import type { RunSummary } from "../../mcp/contract/domain.ts";
import { hrefTo } from "../store/route.ts";
import { Status } from "../ui/status.tsx";
import { Duration, Time } from "../ui/time.tsx";
import styles from "./run-line.module.css";

/** One run in the detail of something else. `by` is what it is known by there: its function, or where that is given, its id. */
export function RunLine({ run, by }: { run: RunSummary; by: "function" | "id" }) {
  const href = hrefTo("runs", run.id);
  return (
    <li className={styles.line}>
      <Status kind="run" status={run.status} />
      {by === "function" ? (
        <>
          <a href={href}>{run.function_id}</a>
          <code className={styles.id}>{run.id}</code>
        </>
      ) : (
        <>
          <a className={styles.id} href={href}>
            <code>{run.id}</code>
          </a>
          <Time at={run.started_at ?? run.created_at} />
        </>
      )}
      <Duration from={run.started_at} to={run.ended_at} />
    </li>
  );
}
