import { afterAll, beforeAll, expect, it } from "vitest";
import { answerOnTheWire, WIRE_FAULTS } from "../../loopback/testing/wire-faults.ts";
import { startFixture } from "./testing/endpoint-fixture.ts";

let endpoint: Awaited<ReturnType<typeof startFixture>>;
beforeAll(async () => {
  endpoint = await startFixture();
});
afterAll(() => endpoint.close());

it.each(WIRE_FAULTS)(
  "$title: agents are answered as JSON-RPC errors are",
  async ({ status, text, ...fault }) => {
    const target = { url: new URL(endpoint.url).origin, path: "/mcp", token: "ibk_reader-token" };
    const body = { jsonrpc: "2.0", error: { code: -32_000, message: text }, id: null };
    expect(await answerOnTheWire(target, fault)).toStrictEqual({ status, body });
  },
);
