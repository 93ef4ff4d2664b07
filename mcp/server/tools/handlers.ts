import { eventHandlers } from "./events.ts";
import { functionHandlers } from "./functions.ts";
import type { ToolHandlers } from "./handler.ts";
import { operationHandlers } from "./operations.ts";
import { runHandlers } from "./runs.ts";
import { serverHandlers } from "./server.ts";
import { terminalHandlers } from "./terminal.ts";

export const HANDLERS: ToolHandlers = {
  ...serverHandlers,
  ...runHandlers,
  ...functionHandlers,
  ...eventHandlers,
  ...operationHandlers,
  ...terminalHandlers,
};
