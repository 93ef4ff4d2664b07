import * as z from "zod/v4";
import { toTimestamp } from "../../clock.ts";
import { RegisterToolRequest } from "../../contract/agent-tools.ts";
import { jsonObject } from "../../contract/json-object.ts";
import type { ToolCaller } from "../../agent-tools/agent-tools.ts";
import { toJsonText } from "../../json/json-text.ts";
import type { Call } from "../call.ts";
import { IdText, plainText } from "../fields.ts";
import { twin } from "../protojson.ts";
import { method, type ConnectMethod } from "./method.ts";

const toolsPerPage = 100;

const callerOf = ({ environment, caller, keyId, scopes, gone }: Call): ToolCaller => ({
  environmentId: environment.id,
  name: caller,
  apiKeyId: keyId,
  scopes,
  gone,
});

/** `ironflow.v1.AgentToolsService`, section 2.13. */
export const agentToolMethods: Record<string, ConnectMethod> = {
  RegisterTool: method(RegisterToolRequest, async (call, request) => {
    const answer = await call.core.agentTools.register(callerOf(call), request);
    return {
      hmacSecret: answer.hmacSecret,
      registeredToolNames: answer.registeredToolNames,
      registeredAt: toTimestamp(answer.registeredAtMs),
    };
  }),
  ListTools: method(
    z.strictObject({ cursor: plainText(256).optional() }),
    ({ core, environment }, { cursor }) => {
      const rows = core.store.agentTools.list(environment.id, cursor ?? "", toolsPerPage + 1);
      const shown = rows.slice(0, toolsPerPage);
      return {
        tools: shown.map((row) => ({
          qualifiedName: row.qualified_name,
          description: row.description,
          inputSchemaJson: row.schema,
          requiredScopes: JSON.parse(row.scopes) as string[],
          timeoutMs: row.timeout_ms,
        })),
        nextCursor: rows.length > toolsPerPage ? (shown.at(-1)?.qualified_name ?? "") : "",
      };
    },
  ),
  InvokeTool: method(
    z.strictObject({ toolName: IdText, input: jsonObject().optional() }),
    async (call, { toolName, input }) => {
      const text = toJsonText(input ?? {});
      // The check must see plain numbers; the application gets the digits as they came.
      const answer = await call.core.agentTools.invoke(callerOf(call), toolName, {
        value: text.value(),
        text,
      });
      return "error" in answer ? { error: answer.error } : twin("output", toJsonText(answer.output).text);
    },
    ["input"],
  ),
  UnregisterTool: method(z.strictObject({ agentName: IdText }), async (call, { agentName }) => ({
    removedCount: await call.core.agentTools.unregister(callerOf(call), agentName),
  })),
};
