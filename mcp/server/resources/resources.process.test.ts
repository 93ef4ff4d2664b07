import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../../loopback/testing/bundle.ts";
import { newerEra, restOnly } from "../../testing/engine-eras.ts";
import { stubEngine, type StubEngine, type StubRoute } from "../../testing/stub-engine.ts";

let server: Bundle;
let engine: StubEngine;
let client: Client;

beforeAll(async () => {
  server = await bundleEntry(new URL("../main.ts", import.meta.url));
});
afterAll(() => server.remove());

async function connect(mode: "legacy" | { pin: string }, routes: Record<string, StubRoute>) {
  engine = await stubEngine(routes);
  client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const args = [server.file, "--server-url", engine.url, "--static-only"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
}

afterEach(async () => {
  await client.close();
  await engine.close();
});

const read = async (uri: string) => {
  const { contents } = await client.readResource({ uri });
  const [content] = contents as { text: string; mimeType: string }[];
  return { mimeType: content?.mimeType, text: content?.text ?? "" };
};

describe.each([
  ["a handshake revision and the newer engine", "legacy" as const, newerEra],
  ["2026-07-28 and the older engine", { pin: "2026-07-28" }, restOnly],
])("the resources for %s", (_, mode, era) => {
  beforeEach(() => connect(mode, era()));

  it("list three documents and five templates, each of which can be read", async () => {
    const { resources } = await client.listResources();
    expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
      ["ironflow://docs/openapi", "application/json"],
      ["ironflow://docs/push-protocol", "text/markdown"],
      ["ironflow://docs/function-authoring", "text/markdown"],
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "ironflow://runs/{run_id}",
      "ironflow://runs/{run_id}/steps",
      "ironflow://functions/{function_id}",
      "ironflow://streams/{entity_id}",
      "ironflow://projections/{name}",
    ]);
    const ids = { run_id: "run_1", function_id: "ship-order", entity_id: "order-7", name: "orders" };
    const addresses = [
      ...resources.map(({ uri }) => uri),
      ...resourceTemplates.map(({ uriTemplate }) =>
        uriTemplate.replace(/\{(\w+)\}/, (__, name: keyof typeof ids) => ids[name]),
      ),
    ];
    const texts = await Promise.all(addresses.map(async (uri) => (await read(uri)).text));
    expect(texts.map((text) => text.slice(0, 18))).toEqual([
      '{"openapi":"3.1.0"',
      expect.stringMatching(/^# Push protocol/),
      expect.stringMatching(/^# Writing a functi/),
      expect.stringMatching(/^\{"id":"run_1"/),
      expect.stringMatching(/^\{"steps":\[/),
      expect.stringMatching(/^\{"id":"ship-order/),
      expect.stringMatching(/^\{"entity_id"/),
      expect.stringMatching(/^\{"name":"orders"/),
    ]);
    expect(JSON.parse(texts[6] ?? "")).toMatchObject({
      entity_id: "order-7",
      newest_events: [{ id: "evt_7" }],
    });
  });

  it("fetch openapi anew on each read, and say so when that fails", async () => {
    const route = "GET /api/v1/openapi.json";
    const asked = () => engine.requests.filter(({ path }) => path === "/api/v1/openapi.json").length;
    await read("ironflow://docs/openapi");
    await read("ironflow://docs/openapi");
    expect(asked()).toBe(2);
    engine.routes[route] = () => ({ status: 401, json: { error: "authentication required" } });
    await expect(read("ironflow://docs/openapi")).rejects.toMatchObject({
      code: -32_603,
      data: { code: "unauthenticated", retryable: false, error: "authentication required" },
    });
    engine.routes[route] = () => ({ json: { error: "not this" } });
    await expect(read("ironflow://docs/openapi")).rejects.toMatchObject({ data: { code: "data_loss" } });
  });

  it.each([
    "ironflow://runs/run_none",
    "ironflow://docs/other",
    "ironflow://runs/",
    "ironflow://runs/a/b/c",
    "ironflow://runs/%zz",
    "http://127.0.0.1/",
    "file:///etc/passwd",
  ])("are not found at %s", async (uri) => {
    await expect(read(uri)).rejects.toMatchObject({ code: -32_602, data: { uri } });
  });

  it("give the same documents through ironflow_get_docs: the source first, then the document", async () => {
    for (const topic of ["openapi", "push-protocol", "function-authoring"]) {
      const answer = await client.callTool({ name: "ironflow_get_docs", arguments: { topic } });
      const [source, document, ...more] = answer.content as { type: string; text: string }[];
      expect(source?.text).toMatch(topic === "openapi" ? engine.url : /comes with this tool server/);
      expect(document?.text).toBe((await read(`ironflow://docs/${topic}`)).text);
      expect(more).toEqual([]);
      expect(answer.structuredContent).toBeUndefined();
    }
    const other = await client.callTool({ name: "ironflow_get_docs", arguments: { topic: "http://x/" } });
    expect(other.isError).toBe(true);
  });
});

it("reads a record whose id needs encoding", async () => {
  await connect("legacy", newerEra());
  engine.routes["POST /ironflow.v1.EntityStreamService/GetStreamInfo"] = ({ body }) => ({
    json: { entityId: (body as { entityId: string }).entityId, version: "1" },
  });
  const { text } = await read(`ironflow://streams/${encodeURIComponent("order/7 ä")}`);
  expect(JSON.parse(text)).toMatchObject({ entity_id: "order/7 ä" });
});
