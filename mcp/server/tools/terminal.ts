import type { TerminalSession } from "../../../bridge/contract/api.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import type { TerminalBridge } from "../terminal-bridge.ts";
import type { ToolContext, ToolHandlers } from "./handler.ts";

type TerminalTool =
  | "ironflow_terminal_run"
  | "ironflow_terminal_read"
  | "ironbridge_terminal_list"
  | "ironbridge_terminal_stop"
  | "ironbridge_terminal_input"
  | "ironbridge_terminal_resize";

const DEFAULT_SIZE = { cols: 80, rows: 24 };

export const terminalHandlers: ToolHandlers<TerminalTool> = {
  ironflow_terminal_run: async ({ command, cwd, shell, env, cols, rows }, context) => {
    const size = { cols: cols ?? DEFAULT_SIZE.cols, rows: rows ?? DEFAULT_SIZE.rows };
    const started = await bridgeOf(context).run(
      {
        command,
        agent: context.caller,
        ...(cwd === undefined ? {} : { cwd }),
        ...(shell === undefined ? {} : { shell }),
        ...(env === undefined ? {} : { env }),
        ...(cols === undefined && rows === undefined ? {} : { size }),
      },
      { signal: context.signal },
    );
    const { session_id, status, reason } = started;
    const why = reason === null ? {} : { reason };
    return { session_id, status, shell: started.shell, cwd: started.cwd, ...why };
  },
  ironflow_terminal_read: ({ session_id, offset, limit, format, ...wait }, context) => {
    if ((wait.wait_for === "text") !== (wait.wait_text !== undefined))
      throw new ToolFailure({
        code: "invalid_argument",
        message: "wait_text: goes with wait_for text, and that with wait_text",
        retryable: false,
      });
    return bridgeOf(context).read(
      {
        id: session_id,
        offset,
        limit,
        format,
        reader: context.caller,
        wait_ms: Math.round(wait.wait_seconds * 1_000),
        ...(wait.wait_for === undefined ? {} : { wait_for: wait.wait_for }),
        ...(wait.wait_text === undefined ? {} : { text: wait.wait_text }),
      },
      { signal: context.signal },
    );
  },
  ironbridge_terminal_list: async (_none, context) => ({ sessions: await ownSessions(context) }),
  ironbridge_terminal_stop: async ({ session_id }, context) => {
    await assertOwn(session_id, context);
    return bridgeOf(context).stop(session_id, { signal: context.signal });
  },
  ironbridge_terminal_input: async ({ session_id, text }, context) => {
    await assertOwn(session_id, context);
    return bridgeOf(context).type(session_id, text, { signal: context.signal });
  },
  ironbridge_terminal_resize: async ({ session_id, cols, rows }, context) => {
    await assertOwn(session_id, context);
    const { size } = await bridgeOf(context).resize(session_id, { cols, rows }, { signal: context.signal });
    return { session_id, ...size };
  },
};

async function ownSessions(context: ToolContext): Promise<TerminalSession[]> {
  const all = await bridgeOf(context).list({ signal: context.signal });
  return all.filter((session) => session.agent === context.caller);
}

/** One agent's tabs are no business of another's: what is typed there would run in the other one's name. */
async function assertOwn(sessionId: string, context: ToolContext): Promise<void> {
  const own = await ownSessions(context);
  if (own.some((session) => session.session_id === sessionId)) return;
  throw new ToolFailure({
    code: "not_found",
    message: `session_id: you have no terminal ${sessionId}; it was closed, or is not yours`,
    retryable: false,
  });
}

function bridgeOf({ terminal }: ToolContext): TerminalBridge {
  if (terminal !== undefined) return terminal;
  throw new ToolFailure({
    code: "failed_precondition",
    message: "this tool server was started without a terminal bridge",
    retryable: false,
  });
}
