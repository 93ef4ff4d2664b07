import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startFixture } from "./testing/endpoint-fixture.ts";

let endpoint: Awaited<ReturnType<typeof startFixture>>;
/** Lets every call answer. */
let end: () => void;
let session: Record<string, string>;

beforeEach(() => start());
afterEach(async () => {
  end();
  await endpoint.close();
});

async function start(options: { requestsPerCaller?: number } = {}): Promise<void> {
  const ended = new Promise<void>((resolve) => (end = resolve));
  endpoint = await startFixture({
    ...options,
    call: ({ signal }) =>
      new Promise((resolve) => {
        const answer = () => resolve({ content: [{ type: "text", text: "done" }] });
        signal.addEventListener("abort", answer);
        void ended.then(answer);
      }),
  });
  session = await openSession();
}

function post(body: string, headers: Record<string, string> = session) {
  return fetch(endpoint.url, {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: "Bearer ibk_reader-token",
      ...headers,
    },
  });
}

async function openSession(token = "ibk_reader-token"): Promise<Record<string, string>> {
  const params = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "raw", version: "1" },
  };
  const answer = await post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }), {
    authorization: `Bearer ${token}`,
  });
  await answer.text();
  expect(answer.status).toBe(200);
  return {
    "mcp-session-id": answer.headers.get("mcp-session-id") ?? "",
    "mcp-protocol-version": "2025-06-18",
  };
}

const call = (id: number) =>
  JSON.stringify({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "fixture_echo", arguments: { text: "x" } },
  });
const cancelled = (requestId: unknown) =>
  JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });

describe("a call that goes on", () => {
  it("loses its HTTP answer when it is cancelled, so that no connection stays behind", async () => {
    const [one, two] = await Promise.all([post(call(2)), post(call(3))]);
    expect((await post(cancelled(2))).status).toBe(202);
    expect(await one.text()).toBe("");
    end();
    expect(await two.text()).toContain("done");
  });

  it("loses it in a batch when the others of it are cancelled or answered", async () => {
    const batch = await post(`[${call(2)},${call(3)}]`);
    await post(cancelled(2));
    await post(cancelled(3));
    expect(await batch.text()).toBe("");
    const withPing = await post(`[${call(2)},{"jsonrpc":"2.0","id":3,"method":"ping"}]`);
    await post(cancelled(2));
    expect(await withPing.text()).toContain('"id":3');
  });

  it("is not touched by what another session cancels", async () => {
    const going = await post(call(2));
    const other = await openSession();
    for (const id of [2, "2", null, {}]) await post(cancelled(id), other);
    end();
    expect(await going.text()).toContain("done");
  });

  it("keeps its id for itself, and gives it free with its answer", async () => {
    const first = await post(call(2));
    expect((await post(call(2))).status).toBe(400);
    expect((await post(`[${call(5)},${call(5)}]`)).status).toBe(400);
    expect((await post(call(2), await openSession())).status).toBe(200);
    end();
    expect(await first.text()).toContain("done");
    expect((await post(call(2))).status).toBe(200);
  });

  it("leaves connections for other callers, however many of its kind its caller has", async () => {
    await endpoint.close();
    await start({ requestsPerCaller: 2 });
    await Promise.all([post(call(2)), post(call(3))]);
    const third = await post(call(4));
    expect(third.status).toBe(429);
    expect(third.headers.get("retry-after")).not.toBeNull();
    expect(await openSession("ibk_writer-token")).toBeDefined();
  });
});
