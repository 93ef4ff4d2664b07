import type { AgentActivity } from "../../electron/contract/ipc.ts";
import { madeVisible } from "../../electron/contract/visible.ts";
import { Empty } from "../ui/frame.tsx";
import { Look } from "../ui/status.tsx";
import type { StatusLook } from "../ui/status-words.ts";
import { showDuration } from "../ui/time-format.ts";
import { Age } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { refusalWords } from "./refusal-words.ts";
import styles from "./activity-strip.module.css";

const LOOKS: Record<AgentActivity["outcome"], StatusLook> = {
  started: { tone: "busy", icon: "running", word: "Under way" },
  ok: { tone: "good", icon: "check", word: "Done" },
  error: { tone: "bad", icon: "cross", word: "Error" },
  refused: { tone: "warn", icon: "stopped", word: "Refused" },
  asking: { tone: "wait", icon: "waiting", word: "Asks you" },
};

/** What agents call, as it happens. Only that they call: what they pass is in the question or the run. */
export function ActivityStrip() {
  const activity = useApp((state) => state.activity);
  return (
    <section className={styles.strip} aria-label="What agents do">
      <h2 className={styles.title}>What agents do</h2>
      {activity.length === 0 ? (
        <Empty title="No calls since the app started">
          <p>Each call of an agent appears here, with its outcome.</p>
        </Empty>
      ) : (
        <ol className={styles.list} tabIndex={0} aria-label="Calls, newest first">
          {activity.map((call) => (
            <li key={call.call_id} className={styles.call} data-outcome={call.outcome}>
              <Look look={LOOKS[call.outcome]} />
              <span
                className={styles.who}
                title={call.client_claim === undefined ? undefined : madeVisible(call.client_claim)}
              >
                {call.caller}
              </span>
              <code className={styles.tool}>{call.tool}</code>
              <span className={styles.ms}>{call.ms === undefined ? "" : showDuration(call.ms)}</span>
              <Age at={call.at} />
              {call.reason !== undefined && <span className={styles.why}>{refusalWords(call.reason)}</span>}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
