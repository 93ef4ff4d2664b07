import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { poll } from "../../../loopback/testing/poll.ts";
import { expectLike, expectThat, isText, isTime } from "../like.ts";
import type { Row } from "../row.ts";
import { WAIT_MS, type Body, type Target } from "../target.ts";

interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

interface Application {
  url: string;
  received: Received[];
  /** What it answers from now on; "silence" keeps the caller waiting. */
  answer: { status: number; text: string } | "silence";
}

/** An application that serves tools, for as long as `work` takes. */
async function withApplication(work: (application: Application) => Promise<void>): Promise<void> {
  const application: Application = {
    url: "",
    received: [],
    answer: { status: 200, text: '{"output":{"ok":true}}' },
  };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      application.received.push({ headers: request.headers, body: Buffer.concat(parts).toString("utf8") });
      if (application.answer !== "silence")
        response.writeHead(application.answer.status).end(application.answer.text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  application.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ironflow/agent-tools/dispatch`;
  try {
    await work(application);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const schema = JSON.stringify({
  type: "object",
  properties: { line: { enum: ["L1", "L2"] } },
  required: ["line"],
  additionalProperties: false,
});

const register = (t: Target, agentName: string, callbackUrl: string, tool: Body = {}) =>
  t.rpc("AgentToolsService/RegisterTool", {
    agentName,
    callbackUrl,
    tools: [{ name: "stop", description: "Stops a line", inputSchemaJson: schema, ...tool }],
  });
const invoke = (t: Target, toolName: string, input: Body = { line: "L1" }) =>
  t.rpc("AgentToolsService/InvokeTool", { toolName, input });

/** Section 2.13. */
export const agentToolRows: Row[] = [
  {
    id: "2.13.register",
    mark: "S",
    title: "a registered tool has a secret of 32 bytes, told once, and is listed under agent.tool",
    check: (t) =>
      withApplication(async ({ url }) => {
        const agent = t.name("agent");
        const first = await register(t, agent, url);
        expectLike(first, {
          hmacSecret: /^[0-9a-f]{64}$/,
          registeredToolNames: [`${agent}.stop`],
          registeredAt: isTime,
        });
        const second = await register(t, agent, url);
        expectThat("registering again rotates the secret", second["hmacSecret"] !== first["hmacSecret"]);
        const tools: Body[] = [];
        let cursor = "";
        do {
          const page = await t.rpc("AgentToolsService/ListTools", { cursor });
          tools.push(...((page["tools"] ?? []) as Body[]));
          cursor = (page["nextCursor"] as string | undefined) ?? "";
        } while (cursor !== "");
        const row = tools.find((one) => one["qualifiedName"] === `${agent}.stop`);
        expectLike(row, { description: "Stops a line", inputSchemaJson: schema });
        expectThat("no secret in the list", !JSON.stringify(tools).includes(String(second["hmacSecret"])));
        expectLike(await t.rpc("AgentToolsService/UnregisterTool", { agentName: agent }), {
          removedCount: 1,
        });
        expectLike(await invoke(t, `${agent}.stop`), { error: { code: "TOOL_NOT_FOUND" } });
      }),
  },
  {
    id: "2.13.callback",
    mark: "S",
    title: "a call is a signed POST with name and input, and answers the application's output",
    check: (t) =>
      withApplication(async (application) => {
        const agent = t.name("agent");
        const { hmacSecret } = await register(t, agent, application.url);
        expectLike(await invoke(t, `${agent}.stop`), { output: { ok: true } });
        const [received] = application.received;
        expectThat("one call", application.received.length === 1 && received !== undefined);
        const { headers = {}, body = "" } = received ?? {};
        expectLike(JSON.parse(body), { qualified_name: `${agent}.stop`, input: { line: "L1" } });
        const at = String(headers["x-ironflow-timestamp"]);
        const hmac = createHmac("sha256", Buffer.from(String(hmacSecret), "hex")).update(`${at}.${body}`);
        expectLike(headers["x-ironflow-signature"], `sha256=${hmac.digest("hex")}`);
        expectThat("the time is now", Math.abs(Number(at) - Date.now() / 1000) < 60);
        expectLike(headers["x-ironflow-caller"], isText);
        expectLike(headers["x-ironflow-call-id"], isText);
      }),
  },
  {
    id: "2.13.errors",
    mark: "S",
    title: "what goes wrong is an answer with one of the codes, and an input that does not fit is not sent",
    check: (t) =>
      withApplication(async (application) => {
        const agent = t.name("agent");
        const tool = `${agent}.stop`;
        await register(t, agent, application.url, { timeoutMs: 20_000 });
        const fails = async (code: string, input?: Body) =>
          expectLike(await invoke(t, tool, input), { error: { code, message: isText } });
        expectLike(await invoke(t, `${agent}.nothing`), { error: { code: "TOOL_NOT_FOUND" } });
        await fails("INPUT_SCHEMA_INVALID", { line: "L3" });
        await fails("INPUT_SCHEMA_INVALID", { line: "L1", more: 1 });
        expectThat("nothing was sent", application.received.length === 0);
        application.answer = { status: 200, text: '{"error":{"code":"HANDLER_ERROR","message":"jammed"}}' };
        expectLike(await invoke(t, tool), { error: { code: "HANDLER_ERROR", message: "jammed" } });
        application.answer = {
          status: 400,
          text: '{"error":{"code":"INPUT_SCHEMA_INVALID","message":"no"}}',
        };
        await fails("INPUT_SCHEMA_INVALID");
        for (const answer of [
          { status: 200, text: "not json" },
          { status: 200, text: '{"result":1}' },
          { status: 200, text: `{"output":"${"x".repeat(9 * 1024 * 1024)}"}` },
          { status: 401, text: '{"error":{"code":"SIGNATURE_MISMATCH","message":"no"}}' },
          { status: 500, text: "{}" },
        ]) {
          application.answer = answer;
          await fails("CALLBACK_INVALID_RESPONSE");
        }
        application.answer = "silence";
        await register(t, agent, application.url, { timeoutMs: 300 });
        await fails("CALLBACK_TIMEOUT");
        await register(t, agent, "http://127.0.0.1:9/");
        await fails("CALLBACK_UNREACHABLE");
      }),
  },
  {
    id: "2.13.scopes",
    mark: "U",
    title: "a caller that limits its scopes does not reach a tool that needs another",
    check: (t) =>
      withApplication(async ({ url, received }) => {
        const agent = t.name("agent");
        await register(t, agent, url, { requiredScopes: ["lines.stop"] });
        const call = async (scopes: string) =>
          (
            await t.raw("POST", "/ironflow.v1.AgentToolsService/InvokeTool", {
              body: { toolName: `${agent}.stop`, input: { line: "L1" } },
              headers: { "x-ironflow-scopes": scopes },
            })
          ).json;
        expectLike(await call("lines.read"), { error: { code: "SCOPE_MISMATCH" } });
        expectThat("nothing was sent", received.length === 0);
        expectLike(await call("lines.*"), { output: { ok: true } });
      }),
  },
  {
    id: "2.13.refused-declarations",
    mark: "I",
    title: "a bad declaration is refused with the tool and the reason, and registers nothing",
    check: async (t) => {
      const agentName = t.name("agent");
      const tools = (...all: Body[]) => ({ agentName, callbackUrl: "http://127.0.0.1:9/", tools: all });
      const refused = (message: Body) =>
        t.rpcFails("AgentToolsService/RegisterTool", message, "invalid_argument");
      const bad = (inputSchemaJson: string) => refused(tools({ name: "a" }, { name: "b", inputSchemaJson }));
      expectLike(await bad('{"type":"array"}'), /^tools\[1\]\.inputSchemaJson: .*root/);
      expectLike(await bad("[]"), /^tools\[1\]\.inputSchemaJson: must be a JSON object/);
      expectLike(await bad('{"properties":{"a":{"$ref":"https://x.test/s"}}}'), /outside of itself/);
      expectLike(await bad('{"properties":{"a":{"type":"nonsense"}}}'), /is no valid schema/);
      expectLike(await bad("{"), /is not JSON/);
      expectLike(await refused(tools({ name: "a.b" })), /^tools\.0\.name: /);
      expectLike(
        await refused(tools({ name: "a" }, { name: "a" })),
        /^tools\[1\]\.name: a is declared twice/,
      );
      expectLike(await refused({ ...tools({ name: "a" }), callbackUrl: "ftp://x.test" }), /^callbackUrl: /);
      expectLike(await refused({ ...tools({ name: "a" }), callbackUrl: "http://169.254.1.1/" }), /private/);
      expectLike(await invoke(t, `${agentName}.a`), { error: { code: "TOOL_NOT_FOUND" } });
    },
  },
  {
    id: "2.13.reregister",
    mark: "I",
    title: "registering again waits for a call that is under way",
    check: (t) =>
      withApplication(async (application) => {
        const agent = t.name("agent");
        await register(t, agent, application.url, { timeoutMs: 1_000 });
        application.answer = "silence";
        const ends: string[] = [];
        const call = invoke(t, `${agent}.stop`).then((answer) => {
          ends.push("call");
          return answer;
        });
        await poll("the call to arrive", () => application.received.length === 1, WAIT_MS);
        const again = register(t, agent, application.url).then(() => ends.push("registered"));
        expectLike(await call, { error: { code: "CALLBACK_TIMEOUT" } });
        await again;
        expectLike(ends, ["call", "registered"]);
      }),
  },
];
