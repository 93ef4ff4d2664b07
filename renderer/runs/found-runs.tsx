import { useEffect } from "react";
import { Empty, Frame } from "../ui/frame.tsx";
import { Status } from "../ui/status.tsx";
import { Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { VirtualGrid, type Column } from "../ui/virtual-grid.tsx";
import { WINDOW_WORDS } from "../store/time-window.ts";
import type { RunFilters } from "./run-filters.ts";
import { FOUND_MAX } from "./run-search.ts";
import styles from "./runs-list.module.css";

const STATUS: Column = { key: "status", title: "Status", width: "108px" };
const FUNCTION: Column = { key: "function", title: "Function", width: "minmax(100px, 1fr)" };
const EVENT: Column = { key: "event", title: "Event", width: "minmax(100px, 0.8fr)" };
const ID: Column = { key: "id", title: "Run", width: "minmax(120px, 0.7fr)" };
const CREATED: Column = { key: "created", title: "Created", width: "168px" };
const ALL = [STATUS, FUNCTION, EVENT, ID, CREATED];
const COMPACT = [STATUS, FUNCTION, CREATED];

/** The newest runs in which a text occurs, wherever the engine keeps it. */
export function FoundRuns(props: {
  filters: RunFilters;
  openId: string | null;
  compact: boolean;
  onOpen: (runId: string) => void;
}) {
  const { filters } = props;
  const open = useApp((state) => state.findRuns);
  const reading = useApp((state) => state.foundRuns);
  useEffect(() => open(filters), [open, filters]);
  const columns = props.compact ? COMPACT : ALL;
  return (
    <Frame reading={reading} what="the runs with this text">
      {({ rows, more }) =>
        rows.length === 0 ? (
          <Empty title="No run has this text">
            <p>
              Neither the event&apos;s name nor input, output or error of a run (
              {WINDOW_WORDS[filters.window].toLowerCase()}).
            </p>
          </Empty>
        ) : (
          <div className={styles.list}>
            <VirtualGrid
              label="Runs with this text"
              what="run"
              columns={columns}
              count={rows.length}
              openKey={props.openId}
              row={(index) => {
                const run = rows[index];
                if (run === undefined) return null;
                const cells = {
                  status: <Status kind="run" status={run.status} />,
                  function: <span className={styles.function}>{run.function_id}</span>,
                  event: run.event_name,
                  id: <code className={styles.id}>{run.id}</code>,
                  created: <Time at={run.created_at} />,
                };
                return { key: run.id, cells: columns.map(({ key }) => cells[key as keyof typeof cells]) };
              }}
              onOpen={(index) => {
                const run = rows[index];
                if (run !== undefined) props.onOpen(run.id);
              }}
            />
            {more && (
              <p className={styles.end}>
                The newest {FOUND_MAX}. A shorter time window, or another filter, shows the others.
              </p>
            )}
          </div>
        )
      }
    </Frame>
  );
}
