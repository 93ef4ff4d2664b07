import * as z from "zod/v4";
import { readAnswer } from "../../upstream/answer.ts";
import type { Call } from "../../upstream/http.ts";
import type { Engine } from "../engine.ts";
import { answerTo, type Wire } from "./wire.ts";

const Empty = z.looseObject({});

/** Redaction exists in the newer era only, on Connect. */
export function redactionCalls(wire: Wire): Pick<Engine, "redactEvent" | "redactRun" | "redactStep"> {
  const redact = async (connect: string, message: Record<string, string>, call: Call): Promise<void> => {
    // What is redacted already stays as it is.
    const { text } = await wire.surfaces.send({ connect, message, effect: "repeatable" }, call);
    readAnswer(Empty, text, answerTo(connect));
  };
  return {
    redactEvent: (eventId, call) => redact("IronflowService/RedactEvent", { eventId }, call),
    redactRun: (runId, call) => redact("IronflowService/RedactRun", { runId }, call),
    redactStep: (stepId, call) => redact("IronflowService/RedactStep", { stepId }, call),
  };
}
