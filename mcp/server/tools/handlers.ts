import type { ToolHandlers } from "./handler.ts";
import { runHandlers } from "./runs.ts";
import { serverHandlers } from "./server.ts";

export const HANDLERS: ToolHandlers = { ...serverHandlers, ...runHandlers };
