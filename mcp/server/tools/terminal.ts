import { ToolFailure } from "../../upstream/tool-failure.ts";
import type { TerminalBridge } from "../terminal-bridge.ts";
import type { ToolContext, ToolHandlers } from "./handler.ts";

export const terminalHandlers: ToolHandlers<"ironflow_terminal_run" | "ironflow_terminal_read"> = {
  ironflow_terminal_run: async ({ command, cwd }, context) => {
    const {
      session_id,
      status,
      shell,
      cwd: folder,
    } = await bridgeOf(context).run(
      { command, agent: context.caller, ...(cwd === undefined ? {} : { cwd }) },
      { signal: context.signal },
    );
    return { session_id, status, shell, cwd: folder };
  },
  ironflow_terminal_read: ({ session_id, offset, limit }, context) =>
    bridgeOf(context).read({ id: session_id, offset, limit }, { signal: context.signal }),
};

function bridgeOf({ terminal }: ToolContext): TerminalBridge {
  if (terminal !== undefined) return terminal;
  throw new ToolFailure({
    code: "failed_precondition",
    message: "this tool server was started without a terminal bridge",
    retryable: false,
  });
}
