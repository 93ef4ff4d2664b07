import type { ReactNode } from "react";
import type { RunSummary } from "../../mcp/contract/domain.ts";
import { hrefTo } from "../store/route.ts";
import { Status } from "../ui/status.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./recent.module.css";
import type { Overview } from "./vitals-slice.ts";

export function RecentRuns({ runs }: { runs: Overview["recent_runs"] }) {
  return (
    <Recent
      title="Newest runs"
      href={hrefTo("runs")}
      none="No runs yet. One starts when an event matches a function's trigger."
    >
      {runs.map((run) => (
        <li key={run.id} className={styles.run}>
          <Status kind="run" status={run.status} />
          <a href={hrefTo("runs", run.id)}>{run.function_id}</a>
          <Time at={run.started_at ?? run.created_at} />
        </li>
      ))}
    </Recent>
  );
}

export function RecentEvents({ events }: { events: Overview["recent_events"] }) {
  return (
    <Recent
      title="Newest events"
      href={hrefTo("events")}
      none="No events yet. Applications emit them; Events has a button that does."
    >
      {events.map((event) => (
        <li key={event.id} className={styles.event}>
          <a href={hrefTo("events", event.id)}>{event.name}</a>
          <span className={styles.source}>{event.source}</span>
          <Time at={event.timestamp} />
        </li>
      ))}
    </Recent>
  );
}

/** Runs that wait for a person, with what stopped them. */
export function StoppedRuns({ runs }: { runs: readonly RunSummary[] }) {
  return (
    <Recent
      title="Stopped, and not going on by themselves"
      href={hrefTo("runs", null, { status: "failed,paused", window: "all" })}
      none="None: no run has failed or is paused."
    >
      {runs.map((run) => (
        <li key={run.id} className={styles.stopped}>
          <Status kind="run" status={run.status} />
          <a href={hrefTo("runs", run.id)}>{run.function_id}</a>
          <span className={styles.why} title={run.error?.message ?? run.pause_reason}>
            {run.error?.message ?? run.pause_reason ?? ""}
          </span>
          <Time at={run.ended_at ?? run.updated_at} />
        </li>
      ))}
    </Recent>
  );
}

function Recent(props: { title: string; href: string; none: string; children: ReactNode[] }) {
  return (
    <section aria-label={props.title} className={styles.recent}>
      <header className={styles.head}>
        <h2>{props.title}</h2>
        <a href={props.href} aria-label={`${props.title}: all`}>
          All
        </a>
      </header>
      {props.children.length === 0 ? <p className={styles.none}>{props.none}</p> : <ul>{props.children}</ul>}
    </section>
  );
}
