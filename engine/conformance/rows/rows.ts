import type { Row } from "../row.ts";
import { agentToolRows } from "./agent-tool-rows.ts";
import { commandRows } from "./command-rows.ts";
import { configRows } from "./config-rows.ts";
import { environmentRows } from "./environment-rows.ts";
import { eventRows } from "./event-rows.ts";
import { explainRows } from "./explain-rows.ts";
import { functionRows } from "./function-rows.ts";
import { groupRows } from "./group-rows.ts";
import { invokeRows } from "./invoke-rows.ts";
import { kvRows } from "./kv-rows.ts";
import { liveRows } from "./live-rows.ts";
import { operationRows } from "./operation-rows.ts";
import { projectionRows } from "./projection-rows.ts";
import { projectionWaitRows } from "./projection-wait-rows.ts";
import { pushRows } from "./push-rows.ts";
import { rebuildRows } from "./rebuild-rows.ts";
import { runRows } from "./run-rows.ts";
import { secretRows } from "./secret-rows.ts";
import { directoryRows } from "./directory-rows.ts";
import { serverRows } from "./server-rows.ts";
import { sqlProjectionRows } from "./sql-projection-rows.ts";
import { sqlRows } from "./sql-rows.ts";
import { streamRows } from "./stream-rows.ts";
import { trailRows } from "./trail-rows.ts";
import { webhookRows } from "./webhook-rows.ts";
import { workerRows } from "./worker-rows.ts";
import { yieldRows } from "./yield-rows.ts";

/** Every row, in the order of the contract's sections as far as it goes. */
export const allRows: readonly Row[] = [
  ...serverRows,
  ...directoryRows,
  ...functionRows,
  ...invokeRows,
  ...eventRows,
  ...explainRows,
  ...runRows,
  ...commandRows,
  ...pushRows,
  ...yieldRows,
  ...environmentRows,
  ...operationRows,
  ...workerRows,
  ...liveRows,
  ...groupRows,
  ...kvRows,
  ...streamRows,
  ...sqlRows,
  ...trailRows,
  ...webhookRows,
  ...secretRows,
  ...configRows,
  ...agentToolRows,
  ...projectionRows,
  ...projectionWaitRows,
  ...rebuildRows,
  ...sqlProjectionRows,
];
