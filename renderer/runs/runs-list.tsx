import { useCallback, useState } from "react";
import type { RunSummary } from "../../mcp/contract/domain.ts";
import { Button } from "../ui/button.tsx";
import { Empty, Frame } from "../ui/frame.tsx";
import { NewerChip } from "../ui/newer-chip.tsx";
import { Status } from "../ui/status.tsx";
import { Duration, Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { MAX_ROWS, VirtualGrid, type Column } from "../ui/virtual-grid.tsx";
import { WINDOW_WORDS } from "../store/time-window.ts";
import { isFiltered, runFiltersQuery, type RunFilters } from "./run-filters.ts";
import { rowAt, type RunWindow } from "./run-window.ts";
import styles from "./runs-list.module.css";

const STATUS: Column = { key: "status", title: "Status", width: "108px" };
const FUNCTION: Column = { key: "function", title: "Function", width: "minmax(100px, 1fr)" };
const ID: Column = { key: "id", title: "Run", width: "minmax(120px, 0.7fr)" };
const STARTED: Column = { key: "started", title: "Started", width: "168px" };
const DURATION: Column = { key: "duration", title: "Duration", width: "80px", align: "end" };
const ATTEMPTS: Column = { key: "attempts", title: "Attempts", width: "72px", align: "end" };
const ALL = [STATUS, FUNCTION, ID, STARTED, DURATION, ATTEMPTS];
/** Beside a run there is room for what tells runs apart. */
const COMPACT = [STATUS, FUNCTION, STARTED];

export function RunsList(props: {
  filters: RunFilters;
  openId: string | null;
  compact: boolean;
  onOpen: (runId: string) => void;
  onFilters: (filters: RunFilters) => void;
}) {
  const runs = useApp((state) => state.runs);
  return (
    <Frame reading={runs} what="the runs">
      {(window) => (window.total === 0 ? <NoRuns {...props} /> : <Rows {...props} window={window} />)}
    </Frame>
  );
}

function NoRuns({ filters, onFilters }: { filters: RunFilters; onFilters: (filters: RunFilters) => void }) {
  const period = WINDOW_WORDS[filters.window].toLowerCase();
  return (
    <Empty title={isFiltered(filters) ? "No run passes the filters" : `No runs in the ${period}`}>
      <p>
        {isFiltered(filters)
          ? `Of the runs of the ${period}, none is left.`
          : "A run appears here when an event starts a function."}
      </p>
      {filters.window !== "all" && (
        <Button onClick={() => onFilters({ ...filters, window: "all" })}>Look at all time</Button>
      )}
    </Empty>
  );
}

function Rows(props: {
  window: RunWindow;
  filters: RunFilters;
  openId: string | null;
  compact: boolean;
  onOpen: (runId: string) => void;
}) {
  const { window, compact } = props;
  const show = useApp((state) => state.showRuns);
  const pin = useApp((state) => state.pinRuns);
  const [jumps, setJumps] = useState(0);
  const row = useCallback(
    (index: number) => {
      const run = rowAt(window, index);
      return run === undefined ? null : { key: run.id, cells: cellsOf(run, compact) };
    },
    [window, compact],
  );
  return (
    <div className={styles.list}>
      <NewerChip count={window.newer} onJump={() => setJumps(jumps + 1)} />
      <VirtualGrid
        // Another list, or the way back to the newest run: it starts at its top again.
        key={`${jumps} ${JSON.stringify(runFiltersQuery(props.filters))}`}
        label="Runs"
        what="run"
        columns={compact ? COMPACT : ALL}
        count={window.total}
        row={row}
        openKey={props.openId}
        onOpen={(index) => {
          const run = rowAt(window, index);
          if (run !== undefined) props.onOpen(run.id);
        }}
        onRange={show}
        onScrolled={pin}
      />
      {window.total > MAX_ROWS && (
        <p className={styles.end}>
          The newest {MAX_ROWS.toLocaleString("en")} of {window.total.toLocaleString("en")} runs. A shorter
          time window shows the others.
        </p>
      )}
    </div>
  );
}

function cellsOf(run: RunSummary, compact: boolean) {
  const status = <Status kind="run" status={run.status} />;
  const name = <span className={styles.function}>{run.function_id}</span>;
  const started = <Time at={run.started_at ?? run.created_at} />;
  const duration = <Duration from={run.started_at} to={run.ended_at ?? stoppedAt(run)} />;
  if (compact) return [status, name, started];
  return [
    status,
    name,
    <code key="id" className={styles.id}>
      {run.id}
    </code>,
    started,
    duration,
    <span key="attempts" className={styles.attempts} data-retried={run.attempt > 1}>
      {run.attempt} of {run.max_attempts}
    </span>,
  ];
}

/** A paused run has no end, but its clock does not run either. */
const stoppedAt = (run: RunSummary): string | undefined =>
  run.status === "paused" ? run.updated_at : undefined;
