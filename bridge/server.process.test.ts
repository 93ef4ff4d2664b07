import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { rawConnection } from "../loopback/testing/raw-http.ts";
import {
  BridgeError,
  ListResponse,
  OutputResponse,
  RunResponse,
  StopResponse,
  TERMINAL_LIMITS,
} from "./contract/api.ts";
import { MAX_BODY_BYTES } from "./server.ts";
import { serveTerminals, type TerminalServer } from "./testing/serve-terminals.ts";
import { terminals, type Terminals } from "./testing/terminals.ts";

const TOKEN = "ibb_0123456789012345678901234567890123456789";

let bridge: Terminals;
let server: TerminalServer;

beforeAll(async () => {
  bridge = await terminals();
  server = await serveTerminals(bridge, TOKEN);
});
afterEach(() => server.noFaults());
afterAll(async () => {
  await server.close();
  await bridge.dispose();
});

interface Request {
  method?: string;
  token?: string | null;
  body?: unknown;
  text?: string;
  headers?: Record<string, string>;
}

async function call(path: string, { method = "GET", token = TOKEN, body, text, headers = {} }: Request = {}) {
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
  const response = await fetch(server.url + path, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(sent === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
  });
  const answer: unknown = await response.json();
  return { status: response.status, body: answer };
}

const post = (body: unknown) => call("/v1/sessions", { method: "POST", body });

describe("the terminal API", () => {
  it("runs a command, lists it, gives its output by offsets to the end, and stops it", async () => {
    const run = await post({ command: "printf 'ä€'; exit 3", agent: "claude", cwd: bridge.home });
    expect(run.status).toBe(201);
    const session = RunResponse.parse(run.body);
    expect(session).toMatchObject({
      agent: "claude",
      cwd: bridge.home,
      shell: "/bin/bash",
      status: "running",
    });
    await bridge.end(session.session_id);

    const listed = ListResponse.parse((await call("/v1/sessions")).body);
    expect(listed.sessions).toMatchObject([
      { session_id: session.session_id, status: "exited", exit_code: 3 },
    ]);

    const path = `/v1/sessions/${session.session_id}`;
    const first = OutputResponse.parse((await call(`${path}/output?limit=4`)).body);
    expect(first).toMatchObject({ output: "ä", offset: 0, next: 2, has_more: true, dropped: 0 });
    const rest = OutputResponse.parse((await call(`${path}/output?offset=${first.next}`)).body);
    expect(rest).toMatchObject({ output: "€", next: 5, has_more: false, status: "exited", exit_code: 3 });

    const stopped = await call(`${path}/stop`, { method: "POST" });
    expect(stopped.status).toBe(200);
    expect(StopResponse.parse(stopped.body)).toMatchObject({ outcome: "already_ended", alive: 0 });
  });

  it("answers a command that cannot start with the session and its reason", async () => {
    const run = await post({ command: "echo", agent: "claude", cwd: "/no/such" });
    expect(run.status).toBe(201);
    expect(run.body).toMatchObject({ status: "failed_to_start", reason: "cwd: no such folder: /no/such" });
  });

  it("reads 64 KiB at a time by default and never more than 1 MiB", async () => {
    const { session } = await bridge.finish("head -c 2000000 /dev/zero | tr '\\0' x");
    const path = `/v1/sessions/${session.session_id}/output`;
    expect((await call(path)).body).toMatchObject({ next: 65_536, has_more: true });
    expect((await call(`${path}?limit=1048576`)).body).toMatchObject({ next: 1_048_576 });
    expect(await call(`${path}?limit=1048577`)).toMatchObject({ status: 400, body: { code: "bad_request" } });
    expect([TERMINAL_LIMITS.readDefaultBytes, TERMINAL_LIMITS.readMaxBytes]).toEqual([65_536, 1_048_576]);
  });

  it("shows the first 4,096 characters of a long command, and runs all of it", async () => {
    const command = `: ${"x".repeat(5_000)}\necho end`;
    const { session, output } = await bridge.finish(command);
    expect(session.command).toHaveLength(4_096);
    expect(session.command).toBe(`${command.slice(0, 4_095)}…`);
    expect(output).toBe("end\r\n");
  });

  it.each<[string, unknown, string]>([
    ["no command", { agent: "a" }, "command: "],
    ["an empty command", { command: "", agent: "a" }, "command: "],
    ["too long a command", { command: "x".repeat(262_145), agent: "a" }, "command: "],
    [
      "half a surrogate pair",
      { command: "echo \ud800", agent: "a" },
      "command: must not have half a surrogate pair",
    ],
    [
      "a zero character in the command",
      { command: "echo\0", agent: "a" },
      "command: must not have a zero character",
    ],
    ["no agent", { command: "echo" }, "agent: "],
    ["an empty agent", { command: "echo", agent: "" }, "agent: "],
    [
      "a zero character in cwd",
      { command: "echo", agent: "a", cwd: "/\0" },
      "cwd: must not have a zero character",
    ],
    ["a shell that is a number", { command: "echo", agent: "a", shell: 7 }, "shell: "],
    [
      "a variable's name with =",
      { command: "echo", agent: "a", env: { "A=B": "x" } },
      "env.A=B: must be letters",
    ],
    [
      "a zero character in a variable",
      { command: "echo", agent: "a", env: { A: "x\0y" } },
      "env.A: must not have a zero",
    ],
    [
      "a reserved variable",
      { command: "echo", agent: "a", env: { IRONBRIDGE_SESSION: "x" } },
      "env.IRONBRIDGE_SESSION: names that begin with IRONBRIDGE_ are reserved",
    ],
    [
      "too many variables",
      {
        command: "echo",
        agent: "a",
        env: Object.fromEntries(Array.from({ length: 513 }, (_, n) => [`V${n}`, ""])),
      },
      "env: must not have more than 512 variables",
    ],
    ["too few columns", { command: "echo", agent: "a", size: { cols: 1, rows: 1 } }, "size.cols: "],
    ["no rows", { command: "echo", agent: "a", size: { cols: 80, rows: 0 } }, "size.rows: "],
    ["a field that is misspelt", { command: "echo", agent: "a", shel: "x" }, '"shel"'],
    ["a list", [], "expected object"],
    ["null", null, "expected object"],
  ])("refuses %s by its name and starts nothing", async (_what, body, named) => {
    const before = bridge.sessions.list().length;
    const refused = await post(body);
    expect(refused.status).toBe(400);
    expect(BridgeError.parse(refused.body)).toMatchObject({ code: "bad_request" });
    expect(BridgeError.parse(refused.body).error).toContain(named);
    expect(bridge.sessions.list()).toHaveLength(before);
  });

  it.each([
    ["offset=-1", "offset: "],
    ["offset=1.5", "offset: "],
    ["offset=x", "offset: "],
    ["offset=999999999", "offset: offset 999999999 is past the end of the output (2)"],
    ["limit=3", "limit: "],
    ["limit=0", "limit: "],
    ["offset=0&offset=1", "offset: given more than once"],
    ["ofset=0", "ofset"],
  ])("refuses a bad read by its field: %s", async (query, named) => {
    const { session } = await bridge.finish("printf ok");
    const refused = await call(`/v1/sessions/${session.session_id}/output?${query}`);
    expect(refused.status).toBe(400);
    expect(BridgeError.parse(refused.body).error).toContain(named);
  });

  it.each([
    ["GET", "/v1/sessions/term_nosuchone/output", 404, "no_such_session"],
    ["POST", "/v1/sessions/term_nosuchone/stop", 404, "no_such_session"],
    ["GET", "/v1/sessions/nonsense/output", 400, "bad_request"],
    ["GET", "/v1/sessions/term_nosuchone", 404, "not_found"],
    ["GET", "/v1/sessions/", 404, "not_found"],
    ["GET", "/v1/sessions?x=1", 400, "bad_request"],
    ["POST", "/v1/sessions/term_nosuchone/stop?x=1", 400, "bad_request"],
    ["POST", "/v1/sessions/term_nosuchone/output", 405, "method_not_allowed"],
    ["GET", "/v1/sessions/term_nosuchone/stop", 405, "method_not_allowed"],
    ["DELETE", "/v1/sessions", 405, "method_not_allowed"],
    ["GET", "/", 404, "not_found"],
    ["GET", "/v2/sessions", 404, "not_found"],
  ])("answers %s %s with %i", async (method, path, status, code) => {
    expect(await call(path, { method })).toMatchObject({ status, body: { code } });
  });

  it.each([
    ["no JSON", { text: "{" }, 400, "not_json"],
    [
      "another content type",
      { text: "{}", headers: { "content-type": "text/plain" } },
      415,
      "unsupported_media_type",
    ],
    ["too large a body", { text: `{"command":"${"x".repeat(MAX_BODY_BYTES)}"}` }, 413, "too_large"],
  ])("refuses %s", async (_name, request, status, code) => {
    expect(await call("/v1/sessions", { method: "POST", ...request })).toMatchObject({
      status,
      body: { code },
    });
  });

  it("refuses a 65th terminal while 64 run, with a sentence that says what to do", async () => {
    let resolve: (env: Record<string, string>) => void = () => {};
    const environment = new Promise<Record<string, string>>((resolved) => {
      resolve = resolved;
    });
    const full = await terminals({ environment: () => environment });
    // They wait for an environment that does not come yet: starting, and in the list.
    for (let count = 0; count < 64; count += 1) void full.run("true");
    const served = await serveTerminals(full, TOKEN);
    const response = await fetch(`${served.url}/v1/sessions`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify({ command: "true", agent: "a" }),
    });
    expect(response.status).toBe(429);
    expect(await response.json()).toEqual({
      error: "all 64 terminals are in use: stop one, or wait until one ends",
      code: "too_many_sessions",
    });
    expect(full.sessions.list()).toHaveLength(64);
    await served.close();
    const disposed = full.dispose();
    resolve({});
    await disposed;
    served.noFaults();
  });
});

describe("whoever is not the MCP child", () => {
  const paths = ["/v1/sessions", "/v1/sessions/term_nosuchone/output"];

  it.each([
    ["no token", null],
    ["a wrong token", "ibb_9999999999999999999999999999999999999999"],
    ["a token that is too short", TOKEN.slice(0, -1)],
    ["an empty token", ""],
  ])("is refused with %s, and the answer says nothing", async (_name, token) => {
    for (const path of paths) {
      const refused = await call(path, { token });
      expect(refused.status).toBe(401);
      expect(refused.body).toEqual({ error: "authentication required", code: "unauthenticated" });
    }
    const before = bridge.sessions.list().length;
    const run = await call("/v1/sessions", { method: "POST", token, body: { command: "echo", agent: "a" } });
    expect(run.status).toBe(401);
    expect(bridge.sessions.list()).toHaveLength(before);
  });

  it.each([
    ["a foreign Host", "localhost", {}, 403],
    ["another port's Host", "127.0.0.1:1", {}, 403],
    ["any Origin", undefined, { origin: "https://example.com" }, 403],
    ["our own address as Origin", undefined, { origin: "self" }, 403],
    ["the null Origin", undefined, { origin: "null" }, 403],
    ["a token in the URL", undefined, { query: `?token=${TOKEN}` }, 400],
  ])(
    "is refused with %s although the token is right",
    async (_name, host, more: { origin?: string; query?: string }, status) => {
      const connection = await rawConnection(server.port);
      const origin = more.origin === "self" ? server.url : more.origin;
      connection.write(
        [
          `GET /v1/sessions${more.query ?? ""} HTTP/1.1`,
          `Host: ${host ?? server.host}`,
          `Authorization: Bearer ${TOKEN}`,
          ...(origin === undefined ? [] : [`Origin: ${origin}`]),
          "\r\n",
        ].join("\r\n"),
      );
      const answer = await connection.closed();
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).not.toContain("term_");
      expect(answer.toLowerCase()).not.toContain("access-control");
    },
  );
});
