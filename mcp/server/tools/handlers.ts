import { docHandlers } from "./docs.ts";
import { eventHandlers } from "./events.ts";
import { functionHandlers } from "./functions.ts";
import type { ToolHandlers } from "./handler.ts";
import { operationHandlers } from "./operations.ts";
import { outboxHandlers } from "./outbox.ts";
import { projectionHandlers } from "./projections.ts";
import { redactionHandlers } from "./redaction.ts";
import { reloadHandlers } from "./reload.ts";
import { runHandlers } from "./runs.ts";
import { serverHandlers } from "./server.ts";
import { sqlHandlers } from "./sql.ts";
import { storageHandlers } from "./storage.ts";
import { streamHandlers } from "./streams.ts";
import { terminalHandlers } from "./terminal.ts";

export const HANDLERS: ToolHandlers = {
  ...serverHandlers,
  ...docHandlers,
  ...runHandlers,
  ...functionHandlers,
  ...eventHandlers,
  ...streamHandlers,
  ...projectionHandlers,
  ...sqlHandlers,
  ...storageHandlers,
  ...operationHandlers,
  ...outboxHandlers,
  ...redactionHandlers,
  ...reloadHandlers,
  ...terminalHandlers,
};
