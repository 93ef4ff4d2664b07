import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import { CLIENTS, textOf } from "../testing/clients.ts";
import { newerEra } from "../testing/engine-eras.ts";
import { stubEngine, type StubEngine } from "../testing/stub-engine.ts";

let server: Bundle;
let engine: StubEngine;
const DELETE = "/ironflow.v1.IronflowService/DeleteRun";

beforeAll(async () => {
  server = await bundleEntry(new URL("./main.ts", import.meta.url));
});
afterAll(() => server.remove());

beforeEach(async () => {
  engine = await stubEngine({ ...newerEra(), [`POST ${DELETE}`]: () => ({ json: {} }) });
});
afterEach(() => engine.close());

const args = () => [server.file, "--allow-writes", "--server-url", engine.url];
const deletions = () => engine.requests.filter(({ path }) => path === DELETE).length;
const call = { run_id: "run_1" };

// The negotiating client ends up in the same era as the one that insists on it.
const CLIENTS_PER_ERA = CLIENTS.filter(({ name }) => name !== "SDK v2, negotiating");

describe.each(CLIENTS_PER_ERA)("an irreversible call from $name", ({ connect }) => {
  it("is asked of the person, with the target as it is, and done after their yes", async () => {
    const asked: string[] = [];
    const client = await connect({ args: args() }, (message) => {
      asked.push(message);
      return { action: "accept", confirm: true };
    });
    const answer = await client.call("ironflow_delete_run", call);
    await client.close();
    expect(answer.structuredContent).toEqual({ run_id: "run_1", deleted: true });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain(`Delete run run_1 for good? It is failed, of function ship-order`);
    expect(asked[0]).toContain(engine.url);
    expect(deletions()).toBe(1);
  });

  it("is not done after any other answer, also when the call says confirm: true", async () => {
    const replies = [
      { action: "decline" as const },
      { action: "cancel" as const },
      { action: "accept" as const, confirm: false },
    ];
    let asked = 0;
    const client = await connect({ args: args() }, () => replies[asked++] ?? { action: "cancel" });
    for (const _reply of replies) {
      const answer = await client.call("ironflow_delete_run", { ...call, confirm: true });
      expect(answer).toMatchObject({ isError: true });
      expect(textOf(answer)).toMatchObject({
        code: "canceled",
        reason: "declined",
        error: "the person declined; nothing was changed",
      });
    }
    await client.close();
    expect(asked).toBe(3);
    expect(deletions()).toBe(0);
  });

  it("takes confirm: true where the client cannot ask, and nothing less", async () => {
    const client = await connect({ args: args() });
    for (const confirm of [undefined, false]) {
      const refused = await client.call("ironflow_delete_run", {
        ...call,
        ...(confirm === undefined ? {} : { confirm }),
      });
      expect(textOf(refused)).toMatchObject({ reason: "confirmation_required" });
    }
    expect(deletions()).toBe(0);
    const done = await client.call("ironflow_delete_run", { ...call, confirm: true });
    await client.close();
    expect(done.structuredContent).toEqual({ run_id: "run_1", deleted: true });
    expect(deletions()).toBe(1);
  });

  it("about a run that is not finished, or not there, is refused before anybody is asked", async () => {
    const asked: string[] = [];
    engine.routes["POST /ironflow.v1.IronflowService/GetRun"] = ({ body }) =>
      (body as { id: string }).id === "run_1"
        ? { json: { id: "run_1", status: "RUN_STATUS_RUNNING" } }
        : { status: 404, json: { code: "not_found", message: "run not found" } };
    const client = await connect({ args: args() }, (message) => {
      asked.push(message);
      return { action: "accept", confirm: true };
    });
    expect(textOf(await client.call("ironflow_delete_run", call))).toMatchObject({
      code: "failed_precondition",
    });
    const missing = await client.call("ironflow_delete_run", { run_id: "run_none" });
    expect(textOf(missing)).toMatchObject({ code: "not_found" });
    await client.close();
    expect(asked).toEqual([]);
    expect(deletions()).toBe(0);
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

  it("cannot skip the question", async () => {
    const client = await raw();
    const answer = await client.send("ironflow_delete_run", call, YES);
    await client.close();
    expect(textIn(answer)).toMatchObject({ reason: "confirmation_mismatch" });
    expect(deletions()).toBe(0);
  });

  it("cannot use one answer twice, nor for another run, nor one of another client, nor with a changed state", async () => {
    const client = await raw();
    const asked = await client.send("ironflow_delete_run", call);
    expect(asked.result).toMatchObject({ resultType: "input_required" });
    const requestState = String(asked.result?.["requestState"]);

    const other = await client.send("ironflow_delete_run", { run_id: "run_2" }, { ...YES, requestState });
    expect(textIn(other)).toMatchObject({ reason: "confirmation_mismatch" });
    const forged = `${requestState.slice(0, -2)}xx`;
    const stolen = await client.send("ironflow_delete_run", call, { ...YES, requestState }, "another client");
    expect(stolen.error).toMatchObject({ code: -32602 });
    const changed = await client.send("ironflow_delete_run", call, { ...YES, requestState: forged });
    expect(changed.error).toMatchObject({ code: -32602 });
    expect(deletions()).toBe(0);

    const done = await client.send("ironflow_delete_run", call, { ...YES, requestState });
    expect(done.result).toMatchObject({ structuredContent: { deleted: true } });
    const again = await client.send("ironflow_delete_run", call, { ...YES, requestState });
    expect(textIn(again)).toMatchObject({ reason: "confirmation_used" });
    await client.close();
    expect(deletions()).toBe(1);
  });

  it("is answered no when it sends a text instead of a yes", async () => {
    const client = await raw();
    const asked = await client.send("ironflow_delete_run", call);
    const requestState = asked.result?.["requestState"];
    const inputResponses = { confirm: { action: "accept", content: { confirm: "true" } } };
    const answer = await client.send("ironflow_delete_run", call, { inputResponses, requestState });
    await client.close();
    expect(textIn(answer)).toMatchObject({ reason: "declined" });
    expect(deletions()).toBe(0);
  });
});
