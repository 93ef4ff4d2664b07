import { useEffect } from "react";
import type { EventRecord } from "../../mcp/contract/domain.ts";
import { JsonView } from "../json/json-view.tsx";
import { RunLine } from "../runs/run-line.tsx";
import { isGone } from "../runs/run-slice.ts";
import { hrefTo } from "../store/route.ts";
import { Detail, DetailBody, DetailNote, DetailSection } from "../ui/detail.tsx";
import { Facts } from "../ui/facts.tsx";
import { Empty, Frame } from "../ui/frame.tsx";
import { Identifier } from "../ui/identifier.tsx";
import { PaneClose } from "../ui/pane-close.tsx";
import { Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import type { EventRuns } from "./event-slice.ts";

/** One event: what it carried, and what it set off. */
export function EventPane({ eventId, onClose }: { eventId: string; onClose: () => void }) {
  const open = useApp((state) => state.openEvent);
  const reading = useApp((state) => state.event);
  useEffect(() => open(eventId), [open, eventId]);
  const gone = (reading.phase === "failed" || reading.phase === "stale") && isGone(reading.problem);
  return (
    <Detail
      label="Event detail"
      title={reading.phase === "ready" ? reading.data.name : "Event"}
      close={<PaneClose what="event" list="All events" onClose={onClose} />}
      id={<Identifier id={eventId} what="the event id" />}
    >
      {gone ? (
        <Empty title="There is no such event">
          <p>The engine knows no event with this id.</p>
        </Empty>
      ) : (
        <Frame reading={reading} what="the event">
          {(event) => <EventBody event={event} />}
        </Frame>
      )}
    </Detail>
  );
}

function EventBody({ event }: { event: EventRecord }) {
  const runs = useApp((state) => state.eventRuns);
  return (
    <DetailBody>
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
      <DetailSection title="Runs it started">
        <Frame reading={runs} what="its runs">
          {(data) => <StartedRuns data={data} eventId={event.id} />}
        </Frame>
      </DetailSection>
      <DetailSection title="Data">
        <JsonView value={event.data} label="the event's data" />
      </DetailSection>
      {event.metadata !== undefined && (
        <DetailSection title="Metadata">
          <JsonView value={event.metadata} label="the event's metadata" />
        </DetailSection>
      )}
    </DetailBody>
  );
}

function StartedRuns({ data, eventId }: { data: EventRuns; eventId: string }) {
  if (data.total === 0)
    return <DetailNote>None: no function reacts to it, or its runs were deleted.</DetailNote>;
  return (
    <>
      <ul>
        {data.rows.map((run) => (
          <RunLine key={run.id} run={run} by="function" />
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
