import type { ToolHandlers } from "./handler.ts";

export const serverHandlers: ToolHandlers<"ironflow_server_info"> = {
  ironflow_server_info: (_input, { engine, signal }) => engine.serverInfo({ signal }),
};
