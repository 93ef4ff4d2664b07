import type { Handlers } from "../contract/ipc.ts";
import type { Performer } from "../mcp-endpoint/perform.ts";
import { appHandlers, type AppHandlerParts } from "./app.ts";
import { toolHandlers } from "./tools.ts";

export type AllHandlerParts = AppHandlerParts & {
  readonly performer: Performer;
  readonly ending: AbortSignal;
};

/** One handler for every row of the main window's contract. */
export function allHandlers(parts: AllHandlerParts): Handlers {
  return {
    ...appHandlers(parts),
    ...toolHandlers(parts.performer, parts.ending),
  };
}
