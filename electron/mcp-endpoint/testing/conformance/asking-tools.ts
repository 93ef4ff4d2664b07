import { randomBytes } from "node:crypto";
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type ElicitRequestFormParams,
  type InputRequest,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod/v4";
import { text } from "./samples.ts";

type Form = ElicitRequestFormParams["requestedSchema"];

const NONE = z.object({});
const one = (name: string, type: "string" | "boolean" = "string"): Form => ({
  type: "object",
  properties: { [name]: type === "string" ? { type } : { type } },
  required: [name],
});
const elicit = (message: string, requestedSchema: Form) => inputRequired.elicit({ message, requestedSchema });
const sample = (prompt: string, maxTokens = 100) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: prompt } }],
    maxTokens,
  });

/** One key for all servers of this process: 2026-07-28 makes a server for every request. */
const codec = createRequestStateCodec<{ round: number }>({
  key: new Uint8Array(randomBytes(32)),
  ttlSeconds: 60,
});
export const requestState = {
  verify: (state: string, context: ServerContext) => codec.verify(state, context),
};

/** What came back for a key, as the suite's clients read it. */
function answerOf(context: ServerContext, key: string): string | undefined {
  const view = inputResponse(context.mcpReq.inputResponses, key);
  if (view.kind === "missing") return undefined;
  if (view.kind === "elicit") return `action=${view.action}, content=${JSON.stringify(view.content ?? {})}`;
  if (view.kind === "roots") return view.roots.map(({ uri }) => uri).join(" ");
  const { content } = view.result;
  const [block] = Array.isArray(content) ? content : [content];
  return block?.type === "text" ? block.text : JSON.stringify(content);
}

/** The tools of the public suite that need something from the client first. */
export function registerAskingTools(server: McpServer): void {
  asks(
    server,
    "test_input_required_result_elicitation",
    "user_name",
    elicit("What is your name?", one("name")),
    (said) => `Hello, ${nameIn(said)}!`,
  );
  asks(
    server,
    "test_input_required_result_sampling",
    "capital_question",
    sample("What is the capital of France?"),
    (said) => said,
  );
  asks(
    server,
    "test_input_required_result_list_roots",
    "client_roots",
    inputRequired.listRoots(),
    (said) => `Roots: ${said}`,
  );
  asks(server, "test_missing_capability", "thought", sample("Say something."), (said) => said);
  asks(
    server,
    "test_streaming_elicitation",
    "colour",
    elicit("Which colour?", one("colour")),
    (said) => said,
  );
  asks(
    server,
    "test_elicitation_sep1034_defaults",
    "defaults",
    elicit("Are these right?", DEFAULTS),
    (said) => `Elicitation completed: ${said}`,
  );
  asks(
    server,
    "test_elicitation_sep1330_enums",
    "choices",
    elicit("Please choose.", CHOICES),
    (said) => `Elicitation completed: ${said}`,
  );
  server.registerTool(
    "test_elicitation",
    { description: "Asks the user.", inputSchema: z.object({ message: z.string() }) },
    ({ message }, context) => {
      const said = answerOf(context, "user");
      return said === undefined
        ? inputRequired({ inputRequests: { user: elicit(message, USER) } })
        : text(`User response: ${said}`);
    },
  );
  server.registerTool(
    "test_sampling",
    { description: "Asks the client's model.", inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, context) => {
      const said = answerOf(context, "model");
      return said === undefined
        ? inputRequired({ inputRequests: { model: sample(prompt) } })
        : text(`LLM response: ${said}`);
    },
  );
  server.registerTool(
    "test_input_required_result_capabilities",
    { description: "Asks only what the client can answer.", inputSchema: NONE },
    (_, context) => {
      const envelope: Record<string, unknown> = { ...context.mcpReq.envelope };
      const declared = z
        .looseObject({ sampling: z.unknown().optional(), elicitation: z.unknown().optional() })
        .safeParse(envelope[CLIENT_CAPABILITIES_META_KEY] ?? {});
      const can = declared.success ? declared.data : {};
      if (answerOf(context, "sampled") !== undefined || answerOf(context, "asked") !== undefined)
        return text("Answered.");
      return inputRequired({
        inputRequests: {
          ...(can.sampling === undefined ? {} : { sampled: sample("Say something.") }),
          ...(can.elicitation === undefined ? {} : { asked: elicit("Say something.", one("said")) }),
        },
      });
    },
  );
  registerStateTools(server);
}

/** Tools that carry a state of their own, which nobody else can make. */
function registerStateTools(server: McpServer): void {
  const confirm = { confirm: elicit("Please confirm", one("ok", "boolean")) };
  for (const name of [
    "test_input_required_result_request_state",
    "test_input_required_result_tampered_state",
  ])
    rounds(server, name, [confirm], "state-ok");
  const both = { greeting: sample("Generate a greeting", 50), client_roots: inputRequired.listRoots() };
  rounds(
    server,
    "test_input_required_result_multiple_inputs",
    [{ user_name: elicit("What is your name?", one("name")), ...both }],
    "All three are here.",
  );
  rounds(
    server,
    "test_input_required_result_multi_round",
    [
      { step1: elicit("Step 1: What is your name?", one("name")) },
      { step2: elicit("Step 2: What is your favorite color?", one("color")) },
    ],
    "Both are here.",
  );
}

function asks(
  server: McpServer,
  name: string,
  key: string,
  request: InputRequest,
  answer: (said: string) => string,
): void {
  server.registerTool(name, { description: `Asks for ${key}.`, inputSchema: NONE }, (_, context) => {
    const said = answerOf(context, key);
    return said === undefined ? inputRequired({ inputRequests: { [key]: request } }) : text(answer(said));
  });
}

/** Asks in rounds; the state says which one was answered. */
function rounds(
  server: McpServer,
  name: string,
  requests: readonly Record<string, InputRequest>[],
  done: string,
): void {
  const description = `Asks in ${requests.length} round(s).`;
  server.registerTool(name, { description, inputSchema: NONE }, async (_, context) => {
    const asked = context.mcpReq.requestState<{ round: number }>()?.round ?? 0;
    const before = requests[asked - 1];
    const answered =
      before !== undefined && Object.keys(before).every((key) => answerOf(context, key) !== undefined);
    const round = answered ? asked : Math.max(asked - 1, 0);
    const inputRequests = requests[round];
    if (inputRequests === undefined) return text(done);
    return inputRequired({
      inputRequests,
      requestState: await codec.mint({ round: round + 1 }, context),
    });
  });
}

function nameIn(said: string): string {
  const found = /"name":("(?:[^"\\]|\\.)*")/.exec(said)?.[1];
  return found === undefined ? said : String(JSON.parse(found));
}

const USER: Form = {
  type: "object",
  properties: {
    username: { type: "string", description: "User's response" },
    email: { type: "string", description: "User's email address" },
  },
  required: ["username", "email"],
};

const DEFAULTS: Form = {
  type: "object",
  properties: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
};

const titled = (kind: string) =>
  ["First", "Second", "Third"].map((rank, at) => ({ const: `value${at + 1}`, title: `${rank} ${kind}` }));

const CHOICES: Form = {
  type: "object",
  properties: {
    untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
    titledSingle: { type: "string", oneOf: titled("Option") },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
    titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
  },
};
