import { RotateCcw, Trash2 } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import type { OutboxDeadLetter } from "../../mcp/contract/tools/outbox.ts";
import { ActionNote } from "../actions/action-note.tsx";
import { useRefusal } from "../actions/use-refusal.ts";
import { JsonView } from "../json/json-view.tsx";
import { hrefTo } from "../store/route.ts";
import { Button } from "../ui/button.tsx";
import { Fold } from "../ui/fold.tsx";
import { Empty, Frame } from "../ui/frame.tsx";
import { Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import card from "./dead-letter-card.module.css";
import { groupByEvent } from "./group.ts";
import type { DeadDeliveries } from "./outbox-slice.ts";
import styles from "./dead-letters-page.module.css";

/** Deliveries that were given up, by the event that they belong to: what is done to one of its rows is done to all. */
export function OutboxList() {
  const [pages, setPages] = useState(1);
  const open = useApp((state) => state.openOutbox);
  const reading = useApp((state) => state.outbox);
  useEffect(() => open(pages), [open, pages]);
  return (
    <Frame reading={reading} what="the outbox">
      {(data) =>
        data.rows.length === 0 ? (
          <Empty title="No delivery was given up">
            <p>An event that is stored and could not be delivered lands here after its last try.</p>
          </Empty>
        ) : (
          <Deliveries data={data} onMore={() => setPages(pages + 1)} />
        )
      }
    </Frame>
  );
}

function Deliveries({ data, onMore }: { data: DeadDeliveries; onMore: () => void }) {
  const groups = useMemo(() => groupByEvent(data.rows), [data.rows]);
  return (
    <div className={styles.list} role="region" aria-label="Dead deliveries by event" tabIndex={0}>
      {groups.map(({ key, eventId, rows }) => (
        <EventRows key={key} eventId={eventId ?? ""} rows={rows} env={data.env} whole={!data.more} />
      ))}
      {data.more && (
        <p className={styles.more}>
          The newest {data.rows.length.toLocaleString("en")}
          {data.total !== undefined && ` of ${data.total.toLocaleString("en")}`}.{" "}
          <Button onClick={onMore}>Load older ones</Button>
        </p>
      )}
    </div>
  );
}

function EventRows(props: {
  eventId: string;
  rows: readonly OutboxDeadLetter[];
  env: string;
  /** Every row there is was read. */
  whole: boolean;
}) {
  const { eventId, rows, env } = props;
  const act = useApp((state) => state.act);
  const place = `outbox ${eventId}`;
  const refused = useRefusal(place);
  const input = { event_id: eventId, env };
  return (
    <section className={styles.group} aria-label={`Deliveries of ${eventId}`} data-event-id={eventId}>
      <header className={styles.head}>
        <h2>{rows[0]?.entity_id ?? "Event"}</h2>
        <a href={hrefTo("events", eventId)}>{eventId}</a>
        {rows.length > 1 && (
          <span className={styles.shared}>
            {props.whole ? "" : "at least "}
            {rows.length} rows share this event: they go together
          </span>
        )}
        <span className={styles.actions}>
          <Button
            refused={refused}
            aria-label={`Requeue ${eventId}`}
            icon={<RotateCcw aria-hidden="true" size={14} />}
            onClick={() =>
              void act(place, {
                tool: "ironflow_outbox_dlq_requeue",
                input,
                name: "Requeue",
                done: "Requeued. It is delivered again.",
              })
            }
          >
            Requeue
          </Button>
          <Button
            look="danger"
            refused={refused}
            aria-label={`Discard ${eventId}`}
            icon={<Trash2 aria-hidden="true" size={14} />}
            onClick={() =>
              void act(place, {
                tool: "ironflow_outbox_dlq_discard",
                input,
                name: "Discard",
                done: "Discarded.",
              })
            }
          >
            Discard
          </Button>
        </span>
      </header>
      <ActionNote place={place} />
      {rows.map((row) => (
        <DeliveryCard key={row.id} row={row} />
      ))}
    </section>
  );
}

function DeliveryCard({ row }: { row: OutboxDeadLetter }) {
  const [open, setOpen] = useState(false);
  return (
    <article className={card.card} aria-label={`Delivery ${row.id}`}>
      <p className={card.error}>{row.last_error ?? "No error was kept."}</p>
      <p className={card.notes}>
        {row.kind !== undefined && row.kind !== "" && <span>{row.kind}</span>}
        {row.topic !== undefined && row.topic !== "" && (
          <span>
            topic <code>{row.topic}</code>
          </span>
        )}
        {row.attempts !== undefined && (
          <span>{row.attempts === 1 ? "tried once" : `tried ${row.attempts} times`}</span>
        )}
        {row.dead_at !== undefined && (
          <span>
            given up <Time at={row.dead_at} />
          </span>
        )}
        {row.data !== undefined && (
          <Fold open={open} onToggle={setOpen}>
            Data
          </Fold>
        )}
      </p>
      {open && <JsonView value={row.data} label={`data of ${row.id}`} />}
    </article>
  );
}
