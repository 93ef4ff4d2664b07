import { randomBytes } from "node:crypto";
import { AGENT_TOOL_LIMITS, type RegisterToolRequest, type ToolErrorCode } from "../contract/agent-tools.ts";
import type { Core } from "../core.ts";
import { ApiError, messageOf } from "../errors.ts";
import { auditOther } from "../execute/audit.ts";
import { encodeJson, type JsonText } from "../json/json-text.ts";
import { encrypt, openSealed } from "../secrets/cipher.ts";
import type { AgentRow, AgentToolRow } from "../store/agent-tools.ts";
import { SEALED_NAME_PREFIX } from "../store/sealed.ts";
import { checkCallbackUrl, type AddressRules } from "./addresses.ts";
import { callBack, type ToolOutcome } from "./callback.ts";
import { createGates } from "./gates.ts";
import { compileSchema, type CheckInput } from "./schema.ts";

export interface AgentToolsOptions {
  rules: AddressRules;
  /** The longest that a tool may take, ms. */
  maxTimeoutMs: number;
}

export const AGENT_TOOL_DEFAULTS: AgentToolsOptions = {
  rules: { allowed: new Set(), privateToo: false },
  maxTimeoutMs: AGENT_TOOL_LIMITS.maxTimeoutMs,
};

/** Who calls, and with what rights. */
export interface ToolCaller {
  environmentId: string;
  /** The key that calls, told to the application, or `anonymous`. */
  name: string;
  /** The same, when it is a key. */
  apiKeyId: string | undefined;
  /** What the caller limits itself to; undefined for all that its key may do. */
  scopes: readonly string[] | undefined;
  gone: AbortSignal;
}

/** Tools of applications: registered here, called back there. */
export interface AgentTools {
  /**
   * Waits for calls that are under way, then takes the place of what the agent had registered.
   * @returns the secret that callbacks are signed with from now on; it is told once
   * @throws ApiError invalid_argument that names the tool and why, already_exists when another key owns the agent
   */
  register(
    caller: ToolCaller,
    request: RegisterToolRequest,
  ): Promise<{ hmacSecret: string; registeredToolNames: string[]; registeredAtMs: number }>;
  /** How many tools went. @throws ApiError permission_denied when another key owns the agent */
  unregister(caller: ToolCaller, agentName: string): Promise<number>;
  /** What went wrong is an answer too; each call is made once. */
  invoke(
    caller: ToolCaller,
    toolName: string,
    input: { value: unknown; text: JsonText },
  ): Promise<ToolOutcome>;
}

const failure = (code: ToolErrorCode, message: string): ToolOutcome => ({ error: { code, message } });

/** The place of an agent's secret among those that are encrypted. No secret has a name with a colon. */
const placeOf = (agent: Pick<AgentRow, "environment_id" | "name" | "revision">) => ({
  environment_id: agent.environment_id,
  name: `${SEALED_NAME_PREFIX.agents}${agent.name}`,
  revision: agent.revision,
});

/** `orders.*` covers `orders.read`, `*` everything. */
export function covers(scopes: readonly string[], wanted: string): boolean {
  return scopes.some(
    (scope) =>
      scope === wanted || scope === "*" || (scope.endsWith(".*") && wanted.startsWith(scope.slice(0, -1))),
  );
}

export function createAgentTools(core: () => Core, options: AgentToolsOptions): AgentTools {
  const gates = createGates();
  /** Compiled schemas by their text. */
  const checks = new Map<string, CheckInput>();

  function checkOf(schema: string): CheckInput {
    let found = checks.get(schema);
    if (found === undefined) {
      found = compileSchema(schema);
      if (checks.size >= AGENT_TOOL_LIMITS.toolsPerEnvironment) checks.clear();
      checks.set(schema, found);
    }
    return found;
  }

  function readTools(environmentId: string, request: RegisterToolRequest): AgentToolRow[] {
    const names = new Set<string>();
    return request.tools.map((tool, index) => {
      const field = `tools[${index}]`;
      if (names.has(tool.name)) {
        throw new ApiError("invalid_argument", `${field}.name: ${tool.name} is declared twice`);
      }
      names.add(tool.name);
      const schema = tool.inputSchemaJson ?? "";
      try {
        checkOf(schema);
      } catch (cause) {
        throw new ApiError("invalid_argument", `${field}.inputSchemaJson: ${messageOf(cause)}`, { cause });
      }
      return {
        environment_id: environmentId,
        agent: request.agentName,
        qualified_name: `${request.agentName}.${tool.name}`,
        description: tool.description ?? "",
        schema,
        scopes: JSON.stringify(tool.requiredScopes ?? []),
        timeout_ms: Math.min(tool.timeoutMs || AGENT_TOOL_LIMITS.defaultTimeoutMs, options.maxTimeoutMs),
      };
    });
  }

  const gateOf = (environmentId: string, agent: string) => `${environmentId}\n${agent}`;

  const secretOf = (agent: AgentRow): string | undefined =>
    openSealed(core().secretsKeys, { ...agent, ...placeOf(agent) });

  return {
    register: async (caller, request) => {
      checkCallbackUrl(request.callbackUrl, options.rules);
      const tools = readTools(caller.environmentId, request);
      const hmacSecret = randomBytes(32).toString("hex");
      return gates.alone(gateOf(caller.environmentId, request.agentName), () =>
        core().writer.write((tx) => {
          const { agentTools } = core().store;
          const known = agentTools.agent(caller.environmentId, request.agentName);
          if (known !== undefined && known.owner !== caller.name) {
            throw new ApiError("already_exists", `agent ${request.agentName} is registered by another key`);
          }
          const place = {
            environment_id: caller.environmentId,
            name: request.agentName,
            revision: (known?.revision ?? 0) + 1,
          };
          agentTools.put(
            {
              ...place,
              ...encrypt(core().secretsKeys.current, placeOf(place), hmacSecret),
              owner: caller.name,
              callback_url: request.callbackUrl,
              registered_at: tx.nowMs,
            },
            tools,
          );
          if (agentTools.count(caller.environmentId) > AGENT_TOOL_LIMITS.toolsPerEnvironment) {
            const { toolsPerEnvironment } = AGENT_TOOL_LIMITS;
            throw new ApiError("resource_exhausted", `tools: more than ${toolsPerEnvironment} in all`);
          }
          const registeredToolNames = tools.map((tool) => tool.qualified_name);
          auditOther(core(), tx, {
            environmentId: caller.environmentId,
            eventType: "agent_tools.registered",
            payload: { agent: request.agentName, tools: registeredToolNames },
          });
          return { hmacSecret, registeredToolNames, registeredAtMs: tx.nowMs };
        }, caller.apiKeyId),
      );
    },
    unregister: (caller, agentName) =>
      gates.alone(gateOf(caller.environmentId, agentName), () =>
        core().writer.write((tx) => {
          const known = core().store.agentTools.agent(caller.environmentId, agentName);
          if (known === undefined) return 0;
          if (known.owner !== caller.name) {
            throw new ApiError("permission_denied", `agent ${agentName} is registered by another key`);
          }
          auditOther(core(), tx, {
            environmentId: caller.environmentId,
            eventType: "agent_tools.unregistered",
            payload: { agent: agentName },
          });
          return core().store.agentTools.delete(caller.environmentId, agentName);
        }, caller.apiKeyId),
      ),
    invoke: (caller, toolName, input) => {
      const agentName = toolName.slice(0, Math.max(0, toolName.indexOf(".")));
      return gates.call(gateOf(caller.environmentId, agentName), async () => {
        const { store, clock, ids } = core();
        const tool = store.agentTools.tool(caller.environmentId, toolName);
        const agent = tool && store.agentTools.agent(caller.environmentId, tool.agent);
        const secret = agent && secretOf(agent);
        if (tool === undefined || agent === undefined || secret === undefined) {
          return failure("TOOL_NOT_FOUND", `tool ${toolName} is not registered`);
        }
        const { scopes } = caller;
        const wanted = JSON.parse(tool.scopes) as string[];
        const lacking = scopes === undefined ? undefined : wanted.find((scope) => !covers(scopes, scope));
        if (lacking !== undefined) {
          return failure("SCOPE_MISMATCH", `the caller lacks the scope ${lacking}`);
        }
        const problem = checkOf(tool.schema)(input.value);
        if (problem !== undefined) return failure("INPUT_SCHEMA_INVALID", problem);
        return callBack({
          url: agent.callback_url,
          body: encodeJson({ qualified_name: toolName, input: input.text }),
          secretHex: secret,
          nowMs: clock.nowMs(),
          caller: caller.name,
          callId: ids.next("call"),
          timeoutMs: tool.timeout_ms,
          rules: options.rules,
          gone: caller.gone,
        });
      });
    },
  };
}
