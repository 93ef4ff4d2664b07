import { parse } from "lossless-json";
import type { ToolArguments } from "../../mcp/contract/tools.ts";
import { kindOf } from "../json/exact.ts";

export type EmitForm = { readonly name: string; readonly data: string; readonly key: string };
export type EmitProblems = { readonly name: string | null; readonly data: string | null };

/** The same rule as the engine's: names become subject tokens. */
const NAME = /^[^\s\p{Cc}.]+(\.[^\s\p{Cc}.]+)*$/u;

/** What is wrong with a form, by field. */
export function emitProblems(form: EmitForm): EmitProblems {
  return { name: nameProblem(form.name), data: dataProblem(form.data) };
}

function nameProblem(name: string): string | null {
  if (name === "") return "An event needs a name, such as order.placed";
  return NAME.test(name) ? null : "No white space, and no empty part between dots";
}

function dataProblem(text: string): string | null {
  if (text.trim() === "") return null;
  try {
    const kind = kindOf(parse(text));
    return kind === "object"
      ? null
      : `It is ${kind === "array" ? "an array" : `a ${kind}`}; an event carries an object`;
  } catch (error) {
    return `No valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The arguments of a form without problems. The data goes as text, so that every digit arrives. */
export function emitArguments({ name, data, key }: EmitForm): ToolArguments<"ironflow_emit_event"> {
  return {
    event: name,
    ...(data.trim() !== "" && { data_json: data }),
    ...(key !== "" && { idempotency_key: key }),
  };
}
