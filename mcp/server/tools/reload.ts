import { ToolFailure } from "../../upstream/tool-failure.ts";
import type { ToolHandlers } from "./handler.ts";

export const reloadHandlers: ToolHandlers<"ironflow_await_reload"> = {
  ironflow_await_reload: async (_input, { evidence, signal }) => {
    if (evidence !== undefined) return evidence.awaitReload({ signal });
    throw new ToolFailure({
      code: "failed_precondition",
      message: "this tool server was started without an evidence file",
      retryable: false,
    });
  },
};
