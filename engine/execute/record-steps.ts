import type { StepResult } from "../contract/push.ts";
import type { Core } from "../core.ts";
import { toJsonText } from "../json/json-text.ts";
import { errorText } from "../secrets/masker.ts";
import type { RunRow } from "../store/runs.ts";
import type { StepRecord } from "../store/steps.ts";
import type { Tx } from "../store/writer.ts";
import { announceStep } from "./notices.ts";
import { stepNameOf } from "./step-id.ts";

/** A run that wants more steps is failed: every dispatch carries all of them. */
export const MAX_STEPS_PER_RUN = 2_000;

export interface Recorded {
  /** New rows. */
  added: number;
  /** Why the answer breaks the protocol. The steps before the offending one are stored. */
  problem?: string;
}

/** Stores the steps of an answer. A completed step is never overwritten. */
export function recordSteps(core: Core, tx: Tx, run: RunRow, results: readonly StepResult[]): Recorded {
  const { steps } = core.store;
  let added = 0;
  for (const result of results) {
    const id = result.id;
    if (stepNameOf(id, run.id) === undefined || id.includes("\0")) {
      return { added, problem: `step id ${JSON.stringify(id)} must look like ${run.id}:name:0` };
    }
    const known = steps.get(id);
    if (known?.status === "completed") continue;
    if (known === undefined && run.step_count + added >= MAX_STEPS_PER_RUN) {
      return { added, problem: `a run may have at most ${MAX_STEPS_PER_RUN} steps` };
    }
    if (known === undefined) added += 1;
    const record = toRecord(core, tx, run, result, known?.sequence ?? run.step_count + added);
    steps.put(record, tx.nowMs);
    if (known === undefined) announceStep(core, tx, run, record, "created");
    announceStep(core, tx, run, record, result.status);
  }
  return { added };
}

function toRecord(core: Core, tx: Tx, run: RunRow, result: StepResult, sequence: number): StepRecord {
  const startedAt = timeOf(result.started_at) ?? tx.nowMs;
  const endedAt = timeOf(result.ended_at) ?? tx.nowMs;
  const completed = result.status === "completed";
  return {
    id: result.id,
    run_id: run.id,
    name: withoutNul(result.name),
    type: result.type,
    sequence,
    // Whether a failed step is tried again is decided with the run: `retrying` becomes `failed` when it is not.
    status: completed ? "completed" : "retrying",
    attempt: run.attempt,
    output: completed ? toJsonText(result.output ?? null).text : null,
    error: result.error === undefined ? null : errorText(core, tx, run, result.error),
    compensation_for: result.compensation_for === undefined ? null : withoutNul(result.compensation_for),
    started_at: startedAt,
    ended_at: endedAt,
    duration_ms: result.duration_ms ?? Math.max(0, endedAt - startedAt),
  };
}

function timeOf(text: string | undefined): number | undefined {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** SQLite hands a text back only up to its first NUL. */
export function withoutNul(text: string): string {
  return text.replaceAll("\0", "\u{FFFD}");
}
