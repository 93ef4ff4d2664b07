import { useCallback, useState } from "react";
import type { EventRecord } from "../../mcp/contract/domain.ts";
import { DEFAULT_WINDOW, WINDOW_WORDS } from "../store/time-window.ts";
import { Button } from "../ui/button.tsx";
import { Empty, Frame } from "../ui/frame.tsx";
import { NewerChip } from "../ui/newer-chip.tsx";
import { Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { VirtualGrid, type Column } from "../ui/virtual-grid.tsx";
import { eventFiltersQuery, isEventFiltered, type EventFilters } from "./event-filters.ts";
import { MOST_EVENTS, type EventWindow } from "./event-window.ts";
import styles from "./events-list.module.css";
import { previewOf } from "./preview.ts";

const TIME: Column = { key: "time", title: "Time", width: "190px" };
const NAME: Column = { key: "name", title: "Name", width: "minmax(140px, 0.6fr)" };
const DATA: Column = { key: "data", title: "Data", width: "minmax(120px, 1fr)" };
const SOURCE: Column = { key: "source", title: "Source", width: "80px" };
const ID: Column = { key: "id", title: "Event", width: "minmax(120px, 0.5fr)" };
const ALL = [TIME, NAME, DATA, SOURCE, ID];
const COMPACT = [TIME, NAME, SOURCE];

type Props = {
  filters: EventFilters;
  openId: string | null;
  compact: boolean;
  onOpen: (eventId: string) => void;
  onFilters: (filters: EventFilters) => void;
};

export function EventsList(props: Props) {
  const events = useApp((state) => state.events);
  return (
    <Frame reading={events} what="the events">
      {(window) => (window.rows.length === 0 ? <NoEvents {...props} /> : <Rows {...props} window={window} />)}
    </Frame>
  );
}

function NoEvents({ filters, onFilters }: Props) {
  const period = WINDOW_WORDS[filters.window].toLowerCase();
  return (
    <Empty title={isEventFiltered(filters) ? "No event passes the filters" : `No events in the ${period}`}>
      <p>
        {filters.window !== "all"
          ? `Only the ${period} are searched.`
          : isEventFiltered(filters)
            ? "Clear the filters to see every event."
            : "Applications emit them with their SDK; Emit event sends one from here."}
      </p>
      {filters.window !== "all" && (
        <Button onClick={() => onFilters({ ...filters, window: "all" })}>Look at all time</Button>
      )}
    </Empty>
  );
}

function Rows(props: Props & { window: EventWindow }) {
  const { window, compact } = props;
  const loadOlder = useApp((state) => state.loadOlderEvents);
  const pin = useApp((state) => state.pinEvents);
  const [jumps, setJumps] = useState(0);
  const { rows, next, waiting, overflow } = window;
  const row = useCallback(
    (index: number) => {
      const event = rows[index];
      return event === undefined ? null : { key: event.id, cells: cellsOf(event, compact) };
    },
    [rows, compact],
  );
  const onRange = useCallback(
    ({ last }: { last: number }) => {
      if (last >= rows.length - 1) loadOlder();
    },
    [rows.length, loadOlder],
  );
  return (
    <div className={styles.list}>
      <NewerChip count={waiting.length} more={overflow} onJump={() => setJumps(jumps + 1)} />
      <VirtualGrid
        // Another list, or the way back to the newest event: it starts at its top again.
        key={`${jumps} ${JSON.stringify(eventFiltersQuery(props.filters))}`}
        label="Events"
        what="event"
        columns={compact ? COMPACT : ALL}
        count={rows.length + (next === null ? 0 : 1)}
        row={row}
        openKey={props.openId}
        onOpen={(index) => {
          const event = rows[index];
          if (event !== undefined) props.onOpen(event.id);
        }}
        onRange={onRange}
        onScrolled={pin}
      />
      {rows.length >= MOST_EVENTS && (
        <p className={styles.end}>
          The newest {MOST_EVENTS.toLocaleString("en")} events. A name, an id or a time window other than{" "}
          {WINDOW_WORDS[DEFAULT_WINDOW].toLowerCase()} narrows them down.
        </p>
      )}
    </div>
  );
}

function cellsOf(event: EventRecord, compact: boolean) {
  const time = <Time key="time" at={event.timestamp} precise={!compact} />;
  const name = (
    <span key="name" className={styles.name}>
      {event.name}
    </span>
  );
  if (compact) return [time, name, event.source];
  return [
    time,
    name,
    <code key="data" className={styles.data}>
      {previewOf(event.data)}
    </code>,
    event.source,
    <code key="id" className={styles.data}>
      {event.id}
    </code>,
  ];
}
