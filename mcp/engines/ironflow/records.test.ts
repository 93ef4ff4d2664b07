import { describe, expect, it } from "vitest";
import { RestWorker, RestEnvironment, RestProject } from "../../../engine/contract/directory.ts";
import { RestEvent } from "../../../engine/contract/events.ts";
import { RestBreaker, RestBreakerFailure, RestDeadLetter } from "../../../engine/contract/operations.ts";
import {
  Breaker,
  BreakerFailure,
  DeadLetter,
  Environment,
  EventRecord,
  EventSummary,
  Project,
  Worker,
} from "../../contract/domain.ts";
import {
  toBreaker,
  toBreakerFailure,
  toDeadLetter,
  toEnvironment,
  toEvent,
  toEventSummary,
  toProject,
  toWorker,
} from "./records.ts";

const AT = "2026-11-30T12:00:00Z";
const event = RestEvent.parse({
  id: "evt_1",
  name: "order.placed",
  timestamp: AT,
  source: "api",
  data: { a: 1 },
  metadata: { b: 2 },
  idempotency_key: "k",
  entity_id: "e",
  entity_type: "order",
  run_id: "run_1",
});

/** What an engine may tell, whole: nothing of it may get lost on the way to an agent or a page. */
const WHOLE = {
  event: [EventRecord, toEvent(event)],
  "summary of an event": [EventSummary, toEventSummary(toEvent(event))],
  breaker: [
    Breaker,
    toBreaker(
      RestBreaker.parse({
        key: "fn|http://127.0.0.1:1/",
        function_id: "fn",
        endpoint: "http://127.0.0.1:1/",
        state: "open",
        consecutive_fails: 5,
        last_failure: AT,
        last_failure_reason: "HTTP 503",
        opened_at: AT,
        open_until: AT,
        waiting_runs: 2,
      }),
    ),
  ],
  "failure of a breaker": [
    BreakerFailure,
    toBreakerFailure(
      RestBreakerFailure.parse({ failed_at: AT, reason: "HTTP 503", run_id: "run_1", opened: true }),
    ),
  ],
  "dead letter": [
    DeadLetter,
    toDeadLetter(
      RestDeadLetter.parse({
        id: "dl_1",
        environment_id: "env_1",
        source: "routing",
        subject: "s",
        event_id: "evt_1",
        event_name: "order.placed",
        function_id: "fn",
        run_id: "run_1",
        error: "no",
        payload: "e30=",
        created_at: AT,
      }),
    ),
  ],
  worker: [
    Worker,
    toWorker(
      RestWorker.parse({
        id: "w",
        hostname: "h",
        function_ids: ["fn"],
        active_jobs: 1,
        max_concurrent: 2,
        labels: { a: "b" },
        transport: "poll",
        version: { sdk: "0.29.0", runtime: "node" },
        registered_at: AT,
        last_heartbeat: AT,
      }),
    ),
  ],
  project: [
    Project,
    toProject(RestProject.parse({ id: "p", name: "n", org_id: "o", created_at: AT, updated_at: AT })),
  ],
  environment: [
    Environment,
    toEnvironment(
      RestEnvironment.parse({
        id: "e",
        name: "n",
        color: "#fff",
        project_id: "p",
        created_at: AT,
        updated_at: AT,
      }),
    ),
  ],
} as const;

describe("from the wire to a record", () => {
  it.each(Object.entries(WHOLE))("every field of a whole %s arrives", (_name, [schema, record]) => {
    expect(Object.keys(record).sort()).toEqual(Object.keys(schema.shape).sort());
    expect(schema.parse(record)).toEqual(record);
  });
});
