import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { stubEngine, type StubAnswer, type StubEngine } from "../testing/stub-engine.ts";
import { ENGINE_HINTS } from "./hints.ts";
import { HttpClient, type Effect, type HttpLimits } from "./http.ts";
import { ToolFailure } from "./tool-failure.ts";

const BEARER = "ifkey_do_not_show_me";
const open: StubEngine[] = [];

afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

/** A server whose answers to `/x` are given in order, the last one again and again. */
async function serving(...answers: StubAnswer[]): Promise<StubEngine> {
  let served = 0;
  const engine = await stubEngine({
    "POST /x": () => answers[Math.min(served++, answers.length - 1)] ?? {},
  });
  open.push(engine);
  return engine;
}

const client = (engine: { url: string }, limits: Partial<HttpLimits> = {}) =>
  new HttpClient({
    baseUrl: engine.url,
    bearer: BEARER,
    peer: { name: "the engine", hints: ENGINE_HINTS },
    limits: { deadlineMs: 60_000, firstDelayMs: 1, ...limits },
  });

const send = (engine: { url: string }, effect: Effect = "read", limits: Partial<HttpLimits> = {}) =>
  client(engine, limits).send({ method: "POST", path: "/x", body: "{}", effect }, {});

async function failure(promise: Promise<unknown>): Promise<ToolFailure> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
  throw new Error("expected a failure");
}

const cut = (response: ServerResponse) => response.destroy();
const halfAnswer = (response: ServerResponse) => {
  response.writeHead(200, { "content-length": "100" });
  response.write('{"half":', () => response.destroy());
};
const silence = () => {};
const drip = (response: ServerResponse) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(" "), 5);
  response.on("close", () => clearInterval(timer));
};
const endless = (response: ServerResponse) => {
  response.writeHead(200);
  const chunk = "x".repeat(10_000);
  const more = (): unknown => response.destroyed || response.write(chunk, () => setImmediate(more));
  more();
};
const badUtf8 = (response: ServerResponse) => {
  response.writeHead(200);
  response.end(Buffer.from([0x22, 0xff, 0x22]));
};

describe("an answer that does not come through", () => {
  it.each([
    { fault: "cut before it begins", answer: cut, code: "unavailable", words: "was lost before it answered" },
    {
      fault: "cut in the middle",
      answer: halfAnswer,
      code: "unavailable",
      words: "in the middle of its answer",
    },
    {
      fault: "never given",
      answer: silence,
      code: "deadline_exceeded",
      words: "did not answer within 0.3 s",
    },
    {
      fault: "dripping for ever",
      answer: drip,
      code: "deadline_exceeded",
      words: "did not answer within 0.3 s",
    },
    { fault: "endless", answer: endless, code: "resource_exhausted", words: "larger than 100000 bytes" },
    { fault: "not UTF-8", answer: badUtf8, code: "data_loss", words: "not valid UTF-8" },
  ])("because it is $fault ends in $code", async ({ answer, code, words }) => {
    const engine = await serving(answer);
    const deadlineMs = code === "deadline_exceeded" ? 300 : 60_000;
    const error = await failure(send(engine, "read", { deadlineMs, answerBytes: 100_000 }));
    expect(error).toMatchObject({ code });
    expect(error.message).toContain(words);
  });

  it("because nobody listens says so, with the address", async () => {
    const engine = await stubEngine({});
    await engine.close();
    const error = await failure(send(engine, "once"));
    expect(error).toMatchObject({ code: "unavailable", retryable: true });
    expect(error.message).toBe(`the engine at ${engine.url} cannot be reached (ECONNREFUSED)`);
  });

  it("because whoever was asked has gone says that it was sent, and that a read may be sent again", async () => {
    let gone: Promise<void> | undefined;
    const engine = await serving(() => {
      gone = engine.close();
    });
    const error = await failure(send(engine, "read"));
    await gone;
    expect(engine.requests).toHaveLength(1);
    expect(error).toMatchObject({ code: "unavailable", retryable: true, reason: undefined });
    expect(error.message).toBe(
      `the connection to the engine was lost before it answered (ECONNRESET); since then, the engine at ${engine.url} cannot be reached (ECONNREFUSED)`,
    );
    expect(error.hint).toContain("It only reads, so it may be sent again.");
  });

  it("because the caller gave up is a cancellation", async () => {
    const engine = await serving(silence);
    const cancel = new AbortController();
    const call = client(engine).send(
      { method: "POST", path: "/x", effect: "read" },
      { signal: cancel.signal },
    );
    setImmediate(() => cancel.abort());
    expect(await failure(call)).toMatchObject({ code: "canceled", retryable: false });
  });

  it("ends after the caller's own limit when that is shorter", async () => {
    const engine = await serving(silence);
    const call = client(engine).send({ method: "POST", path: "/x", effect: "read" }, { timeoutMs: 49.5 });
    expect((await failure(call)).message).toBe("the engine did not answer within 0.05 s");
  });
});

describe("what is sent again", () => {
  const unavailable = { status: 503, json: { code: "unavailable", message: "starting" } };

  it.each([cut, unavailable, { status: 502, text: "bad gateway" }, { status: 429 }])(
    "is a read, until it works",
    async (fault) => {
      const engine = await serving(fault, fault, { text: "good" });
      expect(await send(engine, "read")).toMatchObject({ status: 200, text: "good" });
      expect(engine.requests).toHaveLength(3);
    },
  );

  it("is a read three times at most", async () => {
    const engine = await serving(unavailable);
    expect(await failure(send(engine, "read"))).toMatchObject({ code: "unavailable", retryable: true });
    expect(engine.requests).toHaveLength(3);
  });

  it.each(["once", "repeatable"] as const)("is never a write of the kind %s", async (effect) => {
    for (const fault of [cut, halfAnswer, unavailable]) {
      const engine = await serving(fault, { text: "good" });
      expect(await failure(send(engine, effect))).toMatchObject({ retryable: effect === "repeatable" });
      expect(engine.requests).toHaveLength(1);
    }
  });

  it("is nothing that was refused", async () => {
    const engine = await serving(
      { status: 404, json: { code: "not_found", message: "no" } },
      { text: "good" },
    );
    expect(await send(engine, "read")).toMatchObject({ status: 404 });
    expect(engine.requests).toHaveLength(1);
  });

  it("tells of a write with unknown outcome, and of one that was turned away", async () => {
    const lost = await failure(send(await serving(cut), "once"));
    expect(lost).toMatchObject({ code: "unavailable", retryable: false });
    expect(lost.hint).toContain("may or may not have been done");
    const turnedAway = await failure(
      send(await serving({ status: 429, headers: { "retry-after": "7" } }), "once"),
    );
    expect(turnedAway).toMatchObject({ code: "resource_exhausted", retryable: true, retryAfterSeconds: 7 });
  });
});

describe("an engine that asks to wait", () => {
  it("is obeyed when that is short", async () => {
    const engine = await serving({ status: 429, headers: { "retry-after": "0" } }, { text: "good" });
    expect(await send(engine)).toMatchObject({ text: "good" });
  });

  it("is not waited for when that is long: the caller is told, in seconds", async () => {
    const engine = await serving({ status: 429, headers: { "retry-after": "60" } });
    expect(await failure(send(engine))).toMatchObject({ retryable: true, retryAfterSeconds: 60 });
    expect(engine.requests).toHaveLength(1);
  });

  it("may name a date", async () => {
    const date = new Date(Date.now() + 90_000).toUTCString();
    const error = await failure(send(await serving({ status: 503, headers: { "retry-after": date } })));
    expect(error.retryAfterSeconds).toBeGreaterThan(80);
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(91);
  });
});

describe("the key", () => {
  it("goes into the header, and stays there when the engine repeats it", async () => {
    const engine = await serving({ status: 503, text: `Authorization: Bearer ${BEARER} is not welcome` });
    const error = await failure(send(engine, "once"));
    expect(engine.requests[0]?.headers.authorization).toBe(`Bearer ${BEARER}`);
    expect([error.message, error.hint, error.reason, error.stack].join()).not.toContain(BEARER);
  });

  it.each([
    ["as it is", BEARER],
    ["in base64", Buffer.from(BEARER).toString("base64").replace(/=+$/, "")],
    ["with its scheme in base64", Buffer.from(`Bearer ${BEARER}`).toString("base64").replace(/=+$/, "")],
  ])("is taken out of a good answer that repeats it %s", async (_, form) => {
    const engine = await serving({ json: { version: `v1 ${form}`, other: "kept" } });
    const { text } = await send(engine);
    expect(text).not.toContain(form);
    expect(text).toContain("kept");
  });

  it.each([
    ["v", "X-Environment, value v, v.", "X-Environment, value …, …."],
    ["a-b", 'a-b; xa-b; a-by; "a-b"', '…; xa-b; a-by; "…"'],
    ["(x)$", "(x)$ (x)$1", "… (x)$1"],
    ["éa", "éa éab zéa", "… éab zéa"],
    ["eight_ch", "xeight_chx", "x…x"],
  ])(
    "%s that must not come back is found without taking ordinary words apart",
    async (secret, said, left) => {
      const engine = await serving({ status: 400, text: said });
      const request = { method: "POST", path: "/x", body: "{}", effect: "once", conceal: [secret] } as const;
      expect((await client(engine).send(request, {})).text).toBe(left);
    },
  );

  it("does not follow a redirect", async () => {
    const elsewhere = await serving({ text: "caught" });
    const engine = await serving({ status: 307, headers: { location: `${elsewhere.url}/x` } });
    expect(await send(engine)).toMatchObject({ status: 307 });
    expect(elsewhere.requests).toHaveLength(0);
  });
});

it("quotes at most 200 bytes of a foreign answer, on one line", async () => {
  const page = `<html>\n${"ä".repeat(5_000)}</html>`;
  const error = await failure(send(await serving({ status: 500, text: page }), "once"));
  expect(Buffer.byteLength(error.message)).toBeLessThanOrEqual(200);
  expect(error.message).not.toContain("\n");
});
