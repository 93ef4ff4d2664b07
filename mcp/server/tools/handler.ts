import type { ToolInput, ToolName, ToolOutput } from "../../contract/tools.ts";
import type { Engine } from "../../engines/engine.ts";
import type { Evidence } from "../evidence.ts";
import type { TerminalBridge } from "../terminal-bridge.ts";

/** What a tool may use while it runs. */
export type ToolContext = {
  readonly engine: Engine;
  /** Undefined when the server was started without one; the terminal tools are not offered then. */
  readonly terminal: TerminalBridge | undefined;
  /** Undefined when the server was started without an evidence file, or it could not be opened. */
  readonly evidence: Pick<Evidence, "noteTest" | "awaitReload"> | undefined;
  /** Who called, as the app says: the name of the agent's token. */
  readonly caller: string;
  /** Aborts when the caller gave up or went away. */
  readonly signal: AbortSignal;
  /** Tells a caller who asked for it that the call is still under way. Never rejects. */
  readonly progress: (done: number, total: number) => void;
};

export type ToolHandler<Name extends ToolName> = (
  input: ToolInput<Name>,
  context: ToolContext,
) => Promise<ToolOutput<Name>>;

/** One handler per row: a row without one does not compile. */
export type ToolHandlers<Name extends ToolName = ToolName> = { readonly [N in Name]: ToolHandler<N> };
