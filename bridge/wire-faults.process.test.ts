import { afterAll, beforeAll, expect, it } from "vitest";
import { answerOnTheWire, WIRE_FAULTS } from "../loopback/testing/wire-faults.ts";
import { serveTerminals, type TerminalServer } from "./testing/serve-terminals.ts";
import { terminals, type Terminals } from "./testing/terminals.ts";

const TOKEN = "ibb_0123456789012345678901234567890123456789";
const CODES = new Map([
  [400, "bad_request"],
  [413, "too_large"],
  [417, "expectation_failed"],
  [431, "headers_too_large"],
]);

let bridge: Terminals;
let server: TerminalServer;
beforeAll(async () => {
  bridge = await terminals();
  server = await serveTerminals(bridge, TOKEN);
});
afterAll(async () => {
  await server.close();
  await bridge.dispose();
});

it.each(WIRE_FAULTS)(
  "$title: the terminal API answers as it does elsewhere",
  async ({ status, text, ...fault }) => {
    const target = { url: server.url, path: "/v1/sessions", token: TOKEN };
    const body = { error: text, code: CODES.get(status) };
    expect(await answerOnTheWire(target, fault)).toStrictEqual({ status, body });
    expect(bridge.sessions.listAll()).toStrictEqual([]);
    server.noFaults();
  },
);
