import { ChevronDown, ChevronRight } from "lucide-react";
import type { Step } from "../../mcp/contract/domain.ts";
import { JsonView } from "../json/json-view.tsx";
import { Facts, type Fact } from "../ui/facts.tsx";
import { statusLook } from "../ui/status-words.ts";
import { Status } from "../ui/status.tsx";
import { Duration, Time } from "../ui/time.tsx";
import { showDuration } from "../ui/time-format.ts";
import { ErrorBox } from "./error-box.tsx";
import styles from "./step-row.module.css";
import type { Bar } from "./timeline.ts";

const TYPE_WORDS: Record<string, string> = {
  sleep: "sleep",
  wait_for_event: "wait for event",
  compensate: "compensation",
  invoke_function: "function",
};

export function StepRow(props: { step: Step; bar: Bar | null; open: boolean; onToggle: () => void }) {
  const { step, bar, open } = props;
  const Arrow = open ? ChevronDown : ChevronRight;
  const type = TYPE_WORDS[step.step_type];
  return (
    <div className={styles.step} data-open={open}>
      <button type="button" className={styles.line} aria-expanded={open} onClick={props.onToggle}>
        <span className={styles.label}>
          <Arrow aria-hidden="true" size={14} className={styles.arrow} />
          <Status kind="step" status={step.status} iconOnly />
          <span className={styles.name}>{step.name}</span>
          {type !== undefined && <span className={styles.type}>{type}</span>}
          {step.attempt > 1 && <span className={styles.attempt}>attempt {step.attempt}</span>}
        </span>
        <span className={styles.track}>
          {bar !== null && (
            <span
              className={styles.bar}
              data-kind={bar.kind}
              data-tone={statusLook("step", step.status).tone}
              data-open={bar.open}
              style={{ left: `${bar.left * 100}%`, width: `${bar.width * 100}%` }}
            />
          )}
        </span>
        <span className={styles.duration}>
          {step.duration_ms !== undefined && step.ended_at !== undefined ? (
            showDuration(step.duration_ms)
          ) : (
            <Duration
              from={bar === null ? undefined : step.started_at}
              to={bar?.open ? undefined : (step.ended_at ?? step.started_at)}
            />
          )}
        </span>
      </button>
      {open && <StepDetail step={step} />}
    </div>
  );
}

function StepDetail({ step }: { step: Step }) {
  const facts: (Fact | null)[] = [
    { name: "Status", value: <Status kind="step" status={step.status} /> },
    { name: "Attempt", value: step.attempt },
    step.started_at === undefined ? null : { name: "Started", value: <Time at={step.started_at} precise /> },
    step.ended_at === undefined ? null : { name: "Ended", value: <Time at={step.ended_at} precise /> },
    step.sleep_until === undefined
      ? null
      : { name: "Sleeps until", value: <Time at={step.sleep_until} precise /> },
    step.wait_event_name === undefined
      ? null
      : { name: "Waits for", value: <code>{step.wait_event_name}</code> },
    step.wait_timeout === undefined
      ? null
      : { name: "Gives up", value: <WaitTimeout text={step.wait_timeout} /> },
    step.compensation_for === undefined
      ? null
      : { name: "Undoes", value: <code>{step.compensation_for}</code> },
    step.patched_at === undefined
      ? null
      : {
          name: `Output replaced by ${step.patched_by ?? "somebody"}`,
          value: <Time at={step.patched_at} precise />,
        },
    { name: "Step id", value: <code>{step.step_id}</code> },
    { name: "Row id", value: <code>{step.id}</code> },
  ];
  return (
    <div className={styles.detail}>
      <Facts facts={facts} />
      {step.error !== undefined && <ErrorBox title="The step's error" error={step.error} />}
      {step.input !== undefined && (
        <section aria-label={`Input of ${step.name}`}>
          <h4 className={styles.heading}>Input</h4>
          <JsonView value={step.input} label={`input of ${step.name}`} />
        </section>
      )}
      {(step.output !== undefined || step.error === undefined) && (
        <section aria-label={`Output of ${step.name}`}>
          <h4 className={styles.heading}>Output</h4>
          <JsonView value={step.output} label={`output of ${step.name}`} />
        </section>
      )}
    </div>
  );
}

/** Engines send the time when waiting ends, or how long it lasts. */
function WaitTimeout({ text }: { text: string }) {
  return Number.isNaN(Date.parse(text)) ? <>after {text}</> : <Time at={text} precise />;
}
