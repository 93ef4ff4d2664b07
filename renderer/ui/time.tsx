import { memo } from "react";
import { useNow } from "./now.ts";
import { showAge, showDuration, showTime } from "./time-format.ts";
import styles from "./time.module.css";
import { useApp } from "./use-app.ts";

/** Only the year of it matters: other years are named. */
const THIS_YEAR_MS = Date.now();

/** An instant with its zone. Local time, UTC and age come up on hover (time-tip.tsx). */
export const Time = memo(function Time({ at, precise = false }: { at: string | number; precise?: boolean }) {
  const zone = useApp((state) => state.settings.time_zone);
  const ms = typeof at === "number" ? at : Date.parse(at);
  if (Number.isNaN(ms)) return <span className={styles.bad}>{at}</span>;
  const shown = showTime(ms, { zone, withMs: precise, nowMs: THIS_YEAR_MS });
  return (
    <time className={styles.time} dateTime={new Date(ms).toISOString()}>
      <span className={styles.date}>{shown.date}</span> {shown.clock}{" "}
      <span className={styles.zone}>{shown.zone}</span>
    </time>
  );
});

/** How long ago something was, kept current. */
export function Age({ at }: { at: string | number }) {
  const nowMs = useNow();
  const ms = typeof at === "number" ? at : Date.parse(at);
  if (Number.isNaN(ms)) return <span className={styles.bad}>{at}</span>;
  return (
    <time className={styles.time} dateTime={new Date(ms).toISOString()}>
      {showAge(ms, nowMs)}
    </time>
  );
}

/** A span; one without an end is still running and counts on. */
export function Duration({ from, to }: { from: string | undefined; to: string | undefined }) {
  if (from === undefined) return <span className={styles.none}>–</span>;
  const start = Date.parse(from);
  if (to === undefined) return <RunningDuration from={start} />;
  return <span className={styles.time}>{showDuration(Date.parse(to) - start)}</span>;
}

function RunningDuration({ from }: { from: number }) {
  const nowMs = useNow();
  // Whole seconds: a number that runs in hundredths draws the eye and says no more.
  const span = Math.max(0, Math.floor((nowMs - from) / 1_000) * 1_000);
  return <span className={styles.time}>{span < 60_000 ? `${span / 1_000} s` : showDuration(span)}</span>;
}
