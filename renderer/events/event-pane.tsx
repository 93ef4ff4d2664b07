import { useEffect } from "react";
import type { EventRecord } from "../../mcp/contract/domain.ts";
import { JsonView } from "../json/json-view.tsx";
import { isGone } from "../runs/run-slice.ts";
import { hrefTo } from "../store/route.ts";
import styles from "../ui/detail.module.css";
import { Facts } from "../ui/facts.tsx";
import { Empty, Frame } from "../ui/frame.tsx";
import { Identifier } from "../ui/identifier.tsx";
import { PaneClose } from "../ui/pane-close.tsx";
import { Status } from "../ui/status.tsx";
import { Duration, Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import type { EventRuns } from "./event-slice.ts";

/** One event: what it carried, and what it set off. */
export function EventPane({ eventId, onClose }: { eventId: string; onClose: () => void }) {
  const open = useApp((state) => state.openEvent);
  const reading = useApp((state) => state.event);
  useEffect(() => open(eventId), [open, eventId]);
  const gone = (reading.phase === "failed" || reading.phase === "stale") && isGone(reading.problem);
  return (
    <section className={styles.pane} aria-label="Event detail">
      <header className={styles.header}>
        <div className={styles.top}>
          <h2 className={styles.name}>{reading.phase === "ready" ? reading.data.name : "Event"}</h2>
          <PaneClose what="event" list="All events" onClose={onClose} />
        </div>
        <Identifier id={eventId} what="the event id" />
      </header>
      {gone ? (
        <Empty title="There is no such event">
          <p>The engine knows no event with this id.</p>
        </Empty>
      ) : (
        <Frame reading={reading} what="the event">
          {(event) => <EventBody event={event} />}
        </Frame>
      )}
    </section>
  );
}

function EventBody({ event }: { event: EventRecord }) {
  const runs = useApp((state) => state.eventRuns);
  return (
    <div className={styles.body} tabIndex={-1}>
      <Facts
        facts={[
          { name: "Time", value: <Time at={event.timestamp} precise /> },
          { name: "Source", value: event.source === "" ? "not said" : event.source },
          event.idempotency_key === undefined
            ? null
            : { name: "Idempotency key", value: <code>{event.idempotency_key}</code> },
          event.entity_id === undefined
            ? null
            : { name: event.entity_type ?? "Entity", value: <code>{event.entity_id}</code> },
          event.run_id === undefined
            ? null
            : { name: "Emitted by", value: <a href={hrefTo("runs", event.run_id)}>{event.run_id}</a> },
        ]}
      />
      <section aria-label="Runs it started">
        <h3 className={styles.heading}>Runs it started</h3>
        <Frame reading={runs} what="its runs">
          {(data) => <StartedRuns data={data} eventId={event.id} />}
        </Frame>
      </section>
      <section aria-label="Data">
        <h3 className={styles.heading}>Data</h3>
        <JsonView value={event.data} label="the event's data" />
      </section>
      {event.metadata !== undefined && (
        <section aria-label="Metadata">
          <h3 className={styles.heading}>Metadata</h3>
          <JsonView value={event.metadata} label="the event's metadata" />
        </section>
      )}
    </div>
  );
}

function StartedRuns({ data, eventId }: { data: EventRuns; eventId: string }) {
  if (data.total === 0)
    return <p className={styles.none}>None: no function reacts to it, or its runs were deleted.</p>;
  return (
    <>
      <ul>
        {data.rows.map((run) => (
          <li key={run.id} className={styles.run}>
            <Status kind="run" status={run.status} />
            <a href={hrefTo("runs", run.id)}>{run.function_id}</a>
            <code className={styles.id}>{run.id}</code>
            <Duration from={run.started_at} to={run.ended_at} />
          </li>
        ))}
      </ul>
      {data.total > data.rows.length && (
        <a href={hrefTo("runs", null, { event: eventId, window: "all" })}>
          All {data.total.toLocaleString("en")} runs
        </a>
      )}
    </>
  );
}
