import type { ResourceTemplateType } from "@modelcontextprotocol/server";
import type { Engine } from "../../engines/engine.ts";
import type { Call } from "../../upstream/http.ts";

type RecordKind = {
  readonly template: ResourceTemplateType;
  /** The id's place in the address. */
  readonly pattern: RegExp;
  readonly read: (engine: Engine, id: string, call: Call) => Promise<object>;
};

/** Events of a stream that its record carries, the newest ones. */
const NEWEST_EVENTS = 50;

const record = (
  uriTemplate: string,
  [name, title, description]: readonly [string, string, string],
  read: RecordKind["read"],
): RecordKind => ({
  template: { uriTemplate, name, title, description, mimeType: "application/json" },
  pattern: new RegExp(`^${uriTemplate.replace(/\{[a-z_]+\}/, "([^/?#]+)")}$`),
  read,
});

/** Addresses of one record each (seeds: "Results, schemas and resources"). An id is percent-encoded in them. */
export const RECORDS: readonly RecordKind[] = [
  record(
    "ironflow://runs/{run_id}",
    ["run", "A run", "One run in full, as ironflow_get_run gives it."],
    (engine, id, call) => engine.getRun(id, call),
  ),
  record(
    "ironflow://runs/{run_id}/steps",
    [
      "run-steps",
      "The steps of a run",
      "Every step of one run with its output, as ironflow_get_run_steps gives them.",
    ],
    (engine, id, call) => engine.getRunSteps(id, call),
  ),
  record(
    "ironflow://functions/{function_id}",
    ["function", "A function", "One function's configuration, as ironflow_get_function gives it."],
    (engine, id, call) => engine.getFunction(id, call),
  ),
  record(
    "ironflow://streams/{entity_id}",
    [
      "stream",
      "An entity stream",
      `One entity's stream with its ${NEWEST_EVENTS} newest events, newest first.`,
    ],
    async (engine, id, call) => {
      const [stream, page] = await Promise.all([
        engine.getStream(id, call),
        engine.readStream({ entity_id: id, limit: NEWEST_EVENTS, direction: "backward" }, call),
      ]);
      return { ...stream, newest_events: page.events };
    },
  ),
  record(
    "ironflow://projections/{name}",
    ["projection", "A projection", "How one projection stands, as ironflow_projection_status gives it."],
    (engine, id, call) => engine.projectionStatus(id, call),
  ),
];

/** The record that an address names, or undefined when it names none. */
export function recordAt(uri: string): ((engine: Engine, call: Call) => Promise<object>) | undefined {
  for (const { pattern, read } of RECORDS) {
    const id = decoded(pattern.exec(uri)?.[1]);
    if (id !== undefined) return (engine, call) => read(engine, id, call);
  }
  return undefined;
}

function decoded(part: string | undefined): string | undefined {
  if (part === undefined) return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined; // A stray percent sign: no address of ours.
  }
}
