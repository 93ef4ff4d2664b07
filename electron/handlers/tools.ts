import type { Handlers } from "../contract/ipc.ts";
import { USER } from "../mcp-endpoint/permissions.ts";
import type { Performer } from "../mcp-endpoint/perform.ts";
import { toOutcome } from "../mcp-endpoint/tool-result.ts";

/** The person's own buttons: through the same gate as every agent, as caller `user`. */
export function toolHandlers(performer: Performer, ending: AbortSignal): Pick<Handlers, "tool:call"> {
  return {
    async "tool:call"({ connection, tool, arguments: args }) {
      const result = await performer.perform({
        caller: USER,
        claim: undefined,
        connection,
        tool,
        args,
        signal: ending,
      });
      if (result !== undefined && "comeBack" in result)
        throw new Error("the person's own call was told to come back");
      if (result !== undefined) return toOutcome(result);
      return {
        ok: false,
        error: { error: `There is no tool ${tool} here.`, code: "not_found", retryable: false },
      };
    },
  };
}
