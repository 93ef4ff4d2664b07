import type { PushResponse } from "../contract/push.ts";
import type { RunError } from "../contract/runs.ts";
import type { Core } from "../core.ts";
import { toJsonText } from "../json/json-text.ts";
import { errorText } from "../secrets/masker.ts";
import type { RunRow } from "../store/runs.ts";
import type { Tx } from "../store/writer.ts";
import type { Claim } from "./dispatcher.ts";
import { endRun, pauseRun } from "./end-run.ts";
import type { PushOutcome } from "./push.ts";
import { holdRun } from "./ready.ts";
import { recordSteps, type Recorded } from "./record-steps.ts";
import { retryDelayMs } from "./retry.ts";
import { applyYield } from "./yields.ts";

/** The engine's word for a call without a valid answer. */
export const TRANSPORT_ERROR = "TRANSPORT_ERROR";

/** Whether the run still is in the execution that the claim was made for. */
export const isCurrent = (run: RunRow, claim: Claim): boolean =>
  run.status === "running" && run.execution_seq === claim.executionSeq;

/**
 * Turns what a function answered into the run's next state. A late answer (the run was cancelled or deleted meanwhile)
 * still adds the steps that were done, and changes nothing else.
 */
export function applyOutcome(core: Core, tx: Tx, claim: Claim, outcome: PushOutcome): void {
  const { breakers, store } = core;
  if (outcome.kind === "transport")
    breakers.failed(tx, claim.target, claim.probe, outcome.reason, claim.runId);
  else breakers.succeeded(tx, claim.target, claim.probe);

  const run = store.runs.get(claim.runId);
  if (run === undefined) return;
  const current = isCurrent(run, claim);
  if (outcome.kind === "transport") {
    const error = { message: outcome.reason, code: TRANSPORT_ERROR, retryable: true };
    if (current) failAttempt(core, tx, run, error, "transport");
    return;
  }

  const recorded = recordSteps(core, tx, run, outcome.answer.steps ?? []);
  if (!current) {
    if (recorded.added > 0) store.runs.update(run, { step_count: run.step_count + recorded.added }, tx.nowMs);
    return;
  }
  applyRecorded(core, tx, run, recorded, outcome.answer);
}

/** Goes on with an execution's answer, once its steps are stored. */
export function applyRecorded(
  core: Core,
  tx: Tx,
  run: RunRow,
  recorded: Recorded,
  answer: PushResponse,
): void {
  const counted = { ...run, step_count: run.step_count + recorded.added };
  if (recorded.problem === undefined) applyAnswer(core, tx, counted, answer);
  else endRun(core, tx, counted, { status: "failed", error: protocolError(recorded.problem) });
}

/** Holds a run whose answer could not be taken in, for a person to look at. */
export function setAside(core: Core, tx: Tx, claim: Claim): void {
  // A probe that never reports would hold its breaker half-open for ever.
  core.breakers.failed(tx, claim.target, claim.probe, "the answer could not be taken in", claim.runId);
  const run = core.store.runs.get(claim.runId);
  if (run === undefined || !isCurrent(run, claim)) return;
  pauseRun(core, tx, run, {
    message: "the answer could not be taken in",
    code: "INTERNAL",
    retryable: false,
  });
}

function applyAnswer(core: Core, tx: Tx, run: RunRow, answer: PushResponse): void {
  switch (answer.status) {
    case "completed":
      endRun(core, tx, run, { status: "completed", output: toJsonText(answer.result ?? null).text });
      return;
    case "failed": {
      const { message, code, stack, retryable } = answer.error;
      const error = {
        message,
        retryable,
        ...(code === undefined ? {} : { code }),
        ...(stack === undefined ? {} : { stack }),
      };
      failAttempt(core, tx, run, error, "function");
      return;
    }
    case "yielded": {
      const problem = applyYield(core, tx, run, answer.yield);
      if (problem !== undefined) endRun(core, tx, run, { status: "failed", error: protocolError(problem) });
    }
  }
}

/** The function broke the push protocol: doing it again would break it again. */
export function protocolError(problem: string): RunError {
  return { message: problem, code: "PROTOCOL_ERROR", retryable: false };
}

/** A secret the function declared is not to be had: a person can set it, and the next attempt will find it. */
export function secretError(problem: string): RunError {
  return { message: problem, code: "SECRET_UNAVAILABLE", retryable: true };
}

/**
 * One attempt failed. The wire's `retryable` is taken literally: false ends the run as failed; true waits for the next
 * attempt, and pauses the run once they are used up.
 */
export function failAttempt(
  core: Core,
  tx: Tx,
  run: RunRow,
  error: RunError,
  kind: "function" | "transport",
): void {
  const text = errorText(core, tx, run, error);
  core.store.attemptErrors.add({
    run_id: run.id,
    attempt: run.attempt,
    kind,
    error: text,
    failed_at: tx.nowMs,
  });
  if (error.retryable !== true) {
    endRun(core, tx, run, { status: "failed", error });
    return;
  }
  if (run.attempt >= run.max_attempts) {
    pauseRun(core, tx, run, error);
    return;
  }
  const policy = core.registry.get(run.environment_id, run.function_id)?.config.retry;
  core.timers.add(tx, {
    due_at: tx.nowMs + retryDelayMs(policy, run.attempt),
    kind: "retry",
    run_id: run.id,
    step_id: null,
  });
  holdRun(core, tx, run, { attempt: run.attempt + 1, error: text, step_count: run.step_count });
}
