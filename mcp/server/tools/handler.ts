import type { ToolInput, ToolName, ToolOutput } from "../../contract/tools.ts";
import type { Engine } from "../../engines/engine.ts";

/** What a tool may use while it runs. */
export type ToolContext = {
  readonly engine: Engine;
  /** Aborts when the caller gave up or went away. */
  readonly signal: AbortSignal;
};

export type ToolHandler<Name extends ToolName> = (
  input: ToolInput<Name>,
  context: ToolContext,
) => Promise<ToolOutput<Name>>;

/** One handler per row: a row without one does not compile. */
export type ToolHandlers<Name extends ToolName = ToolName> = { readonly [N in Name]: ToolHandler<N> };
