import type { Handlers } from "../contract/ipc.ts";
import type { TerminalBridge } from "../children/bridge.ts";

type Rows = "terminals:list" | "terminals:attach" | "terminals:stop" | "terminals:close";

/** The person's own hands on terminal tabs. Main brokers the port and never reads the bytes. */
export function terminalHandlers(bridge: TerminalBridge): Pick<Handlers, Rows> {
  return {
    "terminals:list": async () => [...bridge.sessions()],
    "terminals:attach": async ({ session_id: id }) => ({ attached: await bridge.attach(id) }),
    "terminals:stop": ({ session_id: id }) => bridge.stop(id),
    "terminals:close": async ({ session_id: id }) => ({ closed: await bridge.close(id) }),
  };
}
