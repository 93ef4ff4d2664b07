import * as z from "zod/v4";
import { IRREVERSIBLE_ROW, toolRow } from "../tool-row.ts";
import { confirmField, eventIdField, runIdField } from "./fields.ts";

export const RedactedEvent = z.looseObject({ event_id: z.string(), redacted: z.literal(true) });
export type RedactedEvent = z.infer<typeof RedactedEvent>;

export const RedactedRun = z.looseObject({ run_id: z.string(), redacted: z.literal(true) });
export type RedactedRun = z.infer<typeof RedactedRun>;

export const RedactedStep = z.looseObject({ step_id: z.string(), redacted: z.literal(true) });
export type RedactedStep = z.infer<typeof RedactedStep>;

const ASKED =
  "They are asked before it happens, or confirm: true is needed where the client cannot ask. When the answer says that nothing was changed, do not send the call again unless the person asks.";

export const REDACTION_ROWS = [
  toolRow({
    ...IRREVERSIBLE_ROW,
    name: "ironflow_redact_event",
    title: "Redact an event",
    description:
      "Replaces one event's data with a placeholder, for good; snapshots of entity streams derived from it are dropped too. Use it for data that must not be stored, such as personal data. It does not reach the runs that the event started, which keep their copy: find them with ironflow_list_runs (event_id) and redact each with ironflow_redact_run. Copies in other events, runs and steps stay too: look for the value with ironflow_sql_query. " +
      `Show the person the event first (ironflow_list_events with search). ${ASKED} Returns event_id and redacted: true.`,
    input: z.strictObject({ event_id: eventIdField, confirm: confirmField }),
    output: RedactedEvent,
  }),
  toolRow({
    ...IRREVERSIBLE_ROW,
    name: "ironflow_redact_run",
    title: "Redact a run",
    description:
      "Replaces one finished run's input, output and error with a placeholder, for good, and with them every step's error, every recorded attempt error and the audit payloads of the run and its steps. A run that is not finished is refused: cancel it first. Some engines replace the outputs of its steps too, some leave them: look with ironflow_get_run_steps, and use ironflow_redact_step for what is left. The run stays in lists, what its code did outside the engine stays, and it can hardly be resumed any more: its data is gone. " +
      `The event that started it keeps its data (ironflow_redact_event). Show the person the run first (ironflow_get_run). ${ASKED} Returns run_id and redacted: true.`,
    input: z.strictObject({ run_id: runIdField, confirm: confirmField }),
    output: RedactedRun,
  }),
  toolRow({
    ...IRREVERSIBLE_ROW,
    name: "ironflow_redact_step",
    title: "Redact a step",
    description:
      "Replaces one step's output, first output and error with a placeholder, for good, and with them its run's error, every recorded attempt error and audit payload of the step, and the run's own retry errors. Takes the step's row id, the field id of ironflow_get_run_steps, not its name. " +
      `Other steps stay as they are: for the whole run use ironflow_redact_run. Show the person the step first. ${ASKED} Returns step_id and redacted: true.`,
    input: z.strictObject({
      step_id: z
        .string()
        .min(1)
        .max(1024)
        .describe("Row id of the step: the field id (not step_id, not name) in ironflow_get_run_steps."),
      confirm: confirmField,
    }),
    output: RedactedStep,
  }),
] as const;
