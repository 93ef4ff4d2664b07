import { useRef, type ReactNode } from "react";
import type { Run, RunAttempt } from "../../mcp/contract/domain.ts";
import { ActionNote } from "../actions/action-note.tsx";
import { JsonView } from "../json/json-view.tsx";
import { hrefTo } from "../store/route.ts";
import { Facts, type Fact } from "../ui/facts.tsx";
import { Identifier } from "../ui/identifier.tsx";
import { Status } from "../ui/status.tsx";
import { Duration, Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { attemptText, isOver } from "./attempt-text.ts";
import { Attempts } from "./attempts.tsx";
import { ErrorBox } from "./error-box.tsx";
import { RESUMED, RunActions, runPlace } from "./run-actions.tsx";
import styles from "./run-detail.module.css";
import type { RunDetail } from "./run-slice.ts";
import { StepTimeline } from "./step-timeline.tsx";

export function RunDetailView({ detail, close }: { detail: RunDetail; close: ReactNode }) {
  const { run, steps, attempts } = detail;
  const action = useApp(({ actions }) => actions[runPlace(run.id)]);
  // "The run goes on" is not true any more once it has come to an end or was held again.
  const isStale = action?.phase === "done" && action.note === RESUMED && isOver(run.status);
  const scroller = useRef<HTMLDivElement>(null);
  return (
    <>
      <header className={styles.header}>
        <div className={styles.top}>
          <Status kind="run" status={run.status} />
          <h2 className={styles.name} title={run.function_id}>
            {run.function_id}
          </h2>
          <RunActions run={run} />
          {close}
        </div>
        <Identifier id={run.id} what="the run id" />
        {!isStale && <ActionNote place={runPlace(run.id)} />}
      </header>
      <div ref={scroller} className={styles.body} tabIndex={-1}>
        <div className={styles.content}>
          <Facts facts={factsOf(run, attempts ?? [])} />
          {run.error !== undefined && <ErrorBox title="The run's error" error={run.error} />}
          {attempts !== null && attempts.length > 0 && <Attempts attempts={attempts} />}
          <StepTimeline run={run} steps={steps} scroller={scroller} />
          <Payload title="Input" value={run.input} label="the run's input" />
          <Payload title="Output" value={run.output} label="the run's output" />
        </div>
      </div>
    </>
  );
}

function Payload({ title, value, label }: { title: string; value: unknown; label: string }) {
  return (
    <section aria-label={title} className={styles.payload}>
      <h3 className={styles.heading}>{title}</h3>
      <JsonView value={value} label={label} />
    </section>
  );
}

function factsOf(run: Run, attempts: readonly RunAttempt[]): (Fact | null)[] {
  const some = (name: string, value: ReactNode): Fact | null =>
    value === undefined || value === "" ? null : { name, value };
  return [
    { name: "Started", value: <Time at={run.started_at ?? run.created_at} precise /> },
    {
      name: "Duration",
      value: (
        <Duration
          from={run.started_at}
          to={run.ended_at ?? (run.status === "paused" ? run.updated_at : undefined)}
        />
      ),
    },
    { name: "Attempt", value: attemptText(run, attempts) },
    { name: "Event", value: <EventName run={run} /> },
    some("Paused because", run.pause_reason),
    some("Cancelled because", run.cancellation_cause),
    some("Version", run.function_version),
    { name: "Mode", value: run.execution_mode },
    some("Worker", run.worker_id),
    run.parent_run_id === undefined
      ? null
      : {
          name: "Started by",
          value: <a href={hrefTo("runs", run.parent_run_id)}>{run.parent_run_id}</a>,
        },
  ];
}

function EventName({ run }: { run: Run }) {
  return <a href={hrefTo("events", run.event_id)}>{run.event_name ?? run.event_id}</a>;
}
