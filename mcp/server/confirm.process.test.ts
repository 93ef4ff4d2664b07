import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import { CLIENTS, textOf, type AnyClient } from "../testing/clients.ts";
import { httpServer, type HttpServer } from "../testing/http-server.ts";
import { newerEra } from "../testing/engine-eras.ts";
import { stubEngine, type StubEngine } from "../testing/stub-engine.ts";
import { QUESTIONS, type IrreversibleName } from "./questions.ts";

let server: Bundle;
let engine: StubEngine;
let folder: string;
const DISCARD = "/api/v1/outbox/dead-letter/evt_3";
const connect = (method: string) => `/ironflow.v1.${method}`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ironbridge-confirm-"));
  server = await bundleEntry(new URL("./main.ts", import.meta.url));
  engine = await stubEngine(newerEra());
});
afterAll(async () => {
  await engine.close();
  await server.remove();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

beforeEach(() => {
  engine.requests.length = 0;
  Object.assign(engine.routes, newerEra());
});

type Case = {
  readonly tool: IrreversibleName;
  readonly args: Readonly<Record<string, unknown>>;
  /** The same call but for one argument. */
  readonly others: readonly Readonly<Record<string, unknown>>[];
  /** What the question says of the target. */
  readonly asks: string;
  readonly answers: Readonly<Record<string, unknown>>;
  /** What reaches the engine when it is done. */
  readonly method: string;
  readonly path: string;
};

const env = "env_default";
const TABLE: readonly Case[] = [
  {
    tool: "ironflow_delete_run",
    args: { run_id: "run_1" },
    others: [{ run_id: "run_2" }],
    asks: "Delete run run_1 for good? It is failed, of function ship-order",
    answers: { run_id: "run_1", deleted: true },
    method: "POST",
    path: connect("IronflowService/DeleteRun"),
  },
  {
    tool: "ironflow_redact_run",
    args: { run_id: "run_1" },
    others: [{ run_id: "run_2" }],
    asks: "Redact run run_1 for good? It is failed, of function ship-order",
    answers: { redacted: true },
    method: "POST",
    path: connect("IronflowService/RedactRun"),
  },
  {
    tool: "ironflow_redact_step",
    args: { step_id: "step_1" },
    others: [{ step_id: "step_2" }],
    asks: "Redact the step with the row id step_1 for good",
    answers: { redacted: true },
    method: "POST",
    path: connect("IronflowService/RedactStep"),
  },
  {
    tool: "ironflow_redact_event",
    args: { event_id: "evt_1" },
    others: [{ event_id: "evt_2" }],
    asks: "Redact event evt_1 for good? It is order.placed",
    answers: { redacted: true },
    method: "POST",
    path: connect("IronflowService/RedactEvent"),
  },
  {
    tool: "ironflow_delete_stream",
    args: { entity_id: "order-7" },
    others: [{ entity_id: "order-8" }, { entity_id: "order-7", purge: true }],
    asks: "Delete the entity stream order-7 for good? It has 2 events",
    answers: { deleted: true, purged: false },
    method: "POST",
    path: connect("EntityStreamService/DeleteStream"),
  },
  {
    tool: "ironflow_outbox_dlq_discard",
    args: { event_id: "evt_3", env },
    others: [
      { event_id: "evt_4", env },
      { event_id: "evt_3", env: "env_other" },
    ],
    asks: "Discard 1 dead outbox row of event evt_3 in env_default, for good",
    answers: { event_id: "evt_3", result: "discarded" },
    method: "DELETE",
    path: DISCARD,
  },
];

/** How often anything irreversible reached the engine, whatever its target. */
const done = () =>
  engine.requests.filter(
    ({ method, path }) =>
      method === "DELETE" || TABLE.some((one) => one.method === method && one.path === path),
  ).length;

it("the table has every irreversible tool", () => {
  expect(TABLE.map(({ tool }) => tool).sort()).toEqual(Object.keys(QUESTIONS).sort());
});

const args = () => [server.file, "--allow-writes", "--server-url", engine.url];
const TOKEN = "test-token-of-the-http-server";

// The negotiating client ends up in the same era as the one that insists on it.
const CLIENTS_PER_ERA = CLIENTS.filter(({ name }) => name !== "SDK v2, negotiating");

const WAYS = CLIENTS_PER_ERA.flatMap((one) => [
  { ...one, over: "stdio" as const },
  { ...one, over: "HTTP" as const },
]);

describe.each(WAYS)("an irreversible call from $name over $over", ({ connect: open, over }) => {
  type Reply = { action: "accept" | "decline" | "cancel"; confirm?: boolean };
  const asked: string[] = [];
  let reply: Reply = { action: "cancel" };
  let asking: AnyClient;
  let mute: AnyClient;
  let served: HttpServer | undefined;
  beforeAll(async () => {
    if (over === "HTTP")
      served = await httpServer(server.file, engine.url, TOKEN, folder, ["--allow-writes"]);
    const at = served === undefined ? { args: args() } : { url: served.url, token: TOKEN };
    const person = (message: string) => {
      asked.push(message);
      return reply;
    };
    [asking, mute] = await Promise.all([open(at, person), open(at)]);
  });
  afterAll(async () => {
    await Promise.all([asking.close(), mute.close()]);
    await served?.stop();
  });
  beforeEach(() => {
    asked.length = 0;
  });

  describe.each(TABLE)("$tool", (one) => {
    it("is asked of the person, with the target as it is, and done once after their yes", async () => {
      reply = { action: "accept", confirm: true };
      const answer = await asking.call(one.tool, one.args);
      expect(answer.structuredContent).toMatchObject(one.answers);
      expect(asked).toHaveLength(1);
      expect(asked[0]).toContain(one.asks);
      expect(asked[0]).toContain(engine.url);
      expect(done()).toBe(1);
    });

    it.each<Reply>([
      { action: "decline" },
      { action: "cancel" },
      { action: "accept", confirm: false },
      { action: "accept" },
    ])("is not done after %j, also when the call says confirm: true", async (given) => {
      reply = given;
      const answer = await asking.call(one.tool, { ...one.args, confirm: true });
      expect(answer.isError).toBe(true);
      expect(textOf(answer)).toMatchObject({
        code: "canceled",
        reason: "declined",
        retryable: false,
        error: "the person declined; nothing was changed",
      });
      expect(asked).toHaveLength(1);
      expect(done()).toBe(0);
    });

    it("asks anew for each call, whatever was said before", async () => {
      reply = { action: "accept", confirm: true };
      await asking.call(one.tool, one.args);
      reply = { action: "decline" };
      expect((await asking.call(one.tool, one.args)).isError).toBe(true);
      expect(asked).toHaveLength(2);
      expect(done()).toBe(1);
    });

    it("takes confirm: true where the client cannot ask, and nothing less", async () => {
      for (const given of [{}, { confirm: false }]) {
        const refused = await mute.call(one.tool, { ...one.args, ...given });
        expect(refused.isError).toBe(true);
        expect(textOf(refused)).toMatchObject({
          code: "failed_precondition",
          reason: "confirmation_required",
        });
      }
      const wrong = await mute.call(one.tool, { ...one.args, confirm: "true" });
      expect(textOf(wrong)).toMatchObject({ code: "invalid_argument" });
      expect(done()).toBe(0);
      const answer = await mute.call(one.tool, { ...one.args, confirm: true });
      expect(answer.structuredContent).toMatchObject(one.answers);
      expect(done()).toBe(1);
    });
  });

  it("about a run that is not finished, or not there, is refused before anybody is asked", async () => {
    reply = { action: "accept", confirm: true };
    engine.routes["POST /ironflow.v1.IronflowService/GetRun"] = ({ body }) =>
      (body as { id: string }).id === "run_1"
        ? { json: { id: "run_1", status: "RUN_STATUS_RUNNING" } }
        : { status: 404, json: { code: "not_found", message: "run not found" } };
    for (const tool of ["ironflow_delete_run", "ironflow_redact_run"]) {
      const early = await asking.call(tool, { run_id: "run_1" });
      expect(textOf(early)).toMatchObject({ code: "failed_precondition" });
      const missing = await asking.call(tool, { run_id: "run_none" });
      expect(textOf(missing)).toMatchObject({ code: "not_found" });
    }
    expect(asked).toEqual([]);
    expect(done()).toBe(0);
  });
});

describe("a client of 2026-07-28 that writes its own answers", () => {
  type Message = { id: number; result?: Record<string, unknown>; error?: { code: number; message: string } };

  /** The wire itself: no SDK in between that would keep to the rules. */
  async function raw() {
    const child = spawn(process.execPath, args());
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    let id = 0;
    return {
      send: async (name: string, given: object, more: object = {}, who = "raw"): Promise<Message> => {
        id += 1;
        const _meta = {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: who, version: "1" },
          "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
        };
        const params = { name, arguments: given, _meta, ...more };
        child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`);
        const { value } = await lines.next();
        return JSON.parse(String(value)) as Message;
      },
      close: async () => {
        child.stdin.end();
        await once(child, "exit");
      },
    };
  }

  const YES = { inputResponses: { confirm: { action: "accept", content: { confirm: true } } } };
  const textIn = ({ result }: Message): unknown => textOf({ content: result?.["content"] });
  let client: Awaited<ReturnType<typeof raw>>;
  beforeAll(async () => {
    client = await raw();
  });
  afterAll(() => client.close());

  const stateFor = async (one: Case): Promise<string> => {
    const { result } = await client.send(one.tool, one.args);
    expect(result).toMatchObject({ resultType: "input_required" });
    return String(result?.["requestState"]);
  };

  describe.each(TABLE)("$tool", (one) => {
    it("cannot skip the question, with confirm: true neither", async () => {
      const answer = await client.send(one.tool, { ...one.args, confirm: true }, YES);
      expect(textIn(answer)).toMatchObject({ reason: "confirmation_mismatch" });
      expect(done()).toBe(0);
    });

    it("cannot use one answer twice, for other arguments, another tool, as another client, nor a changed state", async () => {
      const requestState = await stateFor(one);
      for (const other of one.others) {
        const answer = await client.send(one.tool, other, { ...YES, requestState });
        expect(textIn(answer)).toMatchObject({ reason: "confirmation_mismatch" });
      }
      for (const { tool, args: given } of TABLE.filter(({ tool: name }) => name !== one.tool)) {
        const answer = await client.send(tool, given, { ...YES, requestState });
        expect(textIn(answer)).toMatchObject({ reason: "confirmation_mismatch" });
      }
      const stolen = await client.send(one.tool, one.args, { ...YES, requestState }, "another client");
      expect(stolen.error).toMatchObject({ code: -32602 });
      const middle = Math.floor(requestState.length / 2);
      const forged = `${requestState.slice(0, middle)}${requestState[middle] === "A" ? "B" : "A"}${requestState.slice(middle + 1)}`;
      const changed = await client.send(one.tool, one.args, { ...YES, requestState: forged });
      expect(changed.error).toMatchObject({ code: -32602 });
      expect(done()).toBe(0);

      const first = await client.send(one.tool, one.args, { ...YES, requestState });
      expect(first.result).toMatchObject({ structuredContent: one.answers });
      const again = await client.send(one.tool, one.args, { ...YES, requestState });
      expect(textIn(again)).toMatchObject({ reason: "confirmation_used" });
      expect(done()).toBe(1);
    });

    it.each([
      ["a text instead of a yes", { action: "accept", content: { confirm: "true" } }],
      ["no content", { action: "accept" }],
      ["a refusal with a yes in it", { action: "decline", content: { confirm: true } }],
    ])("is answered no when it sends %s, and the state is spent", async (_, confirm) => {
      const requestState = await stateFor(one);
      const answer = await client.send(one.tool, one.args, { inputResponses: { confirm }, requestState });
      expect(textIn(answer)).toMatchObject({ reason: "declined" });
      const again = await client.send(one.tool, one.args, { ...YES, requestState });
      expect(textIn(again)).toMatchObject({ reason: "confirmation_used" });
      expect(done()).toBe(0);
    });
  });
});
