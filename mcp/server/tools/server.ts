import type { ToolHandlers } from "./handler.ts";

export const serverHandlers: ToolHandlers<"ironflow_server_info" | "ironflow_overview"> = {
  ironflow_server_info: (_input, { engine, signal }) => engine.serverInfo({ signal }),
  ironflow_overview: (_input, { engine, signal }) => engine.overview({ signal }),
};
