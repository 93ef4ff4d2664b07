import type { Engine } from "./engine.ts";
import { applicationToolCalls } from "./ironflow/application-tools.ts";
import { eventCalls } from "./ironflow/events.ts";
import { functionCalls } from "./ironflow/functions.ts";
import { operationCalls } from "./ironflow/operations.ts";
import { outboxCalls } from "./ironflow/outbox.ts";
import { projectionCalls } from "./ironflow/projections.ts";
import { redactionCalls } from "./ironflow/redaction.ts";
import { runCalls } from "./ironflow/runs.ts";
import { serverCalls } from "./ironflow/server.ts";
import { sqlCalls } from "./ironflow/sql.ts";
import { storageCalls } from "./ironflow/storage.ts";
import { streamCalls } from "./ironflow/streams.ts";
import { openWire, type EngineOptions } from "./ironflow/wire.ts";

/** Ironflow over its public wire contract, both eras; the embedded engine serves the same one. */
export function createIronflowEngine(options: EngineOptions): Engine {
  const wire = openWire(options);
  const runs = runCalls(wire);
  const events = eventCalls(wire);
  return {
    url: wire.http.baseUrl,
    ...serverCalls(wire, { ...runs, ...events }),
    ...runs,
    ...functionCalls(wire),
    ...events,
    ...operationCalls(wire),
    ...redactionCalls(wire),
    ...streamCalls(wire),
    ...projectionCalls(wire),
    ...sqlCalls(wire),
    ...storageCalls(wire),
    ...outboxCalls(wire),
    ...applicationToolCalls(wire),
  };
}
