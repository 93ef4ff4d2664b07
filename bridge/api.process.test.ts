import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  InputResponse,
  ListResponse,
  OutputResponse,
  ResizeResponse,
  type TerminalSession,
} from "./contract/api.ts";
import { serveTerminals, type TerminalServer } from "./testing/serve-terminals.ts";
import { terminals, type Terminals } from "./testing/terminals.ts";

const TOKEN = "ibb_abcdefghabcdefghabcdefghabcdefghabcdefgh";
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

async function call(path: string, body?: unknown, signal?: AbortSignal) {
  const response = await fetch(`${server.url}/v1/sessions${path === "" ? "" : `/${path}`}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { status: response.status, body: (await response.json()) as unknown };
}

describe("the terminal API, beyond running and reading", () => {
  it("types, waits for what comes of it, and reads it as text", async () => {
    const { session_id } = await bridge.run(
      `printf 'Name: '; read -r name; printf '\\033[1mhello\\033[0m %s\\n' "$name"`,
    );
    await bridge.until(session_id, "Name: ");
    const waiting = call(`${session_id}/output?wait_for=text&text=hello&wait_ms=20000&format=text`);
    expect(InputResponse.parse((await call(`${session_id}/input`, { text: "me\r" })).body).taken).toBe(true);
    expect(OutputResponse.parse((await waiting).body).waited).toBe("met");
    await bridge.end(session_id);
    const page = OutputResponse.parse(
      (await call(`${session_id}/output?format=text&wait_for=exit&wait_ms=9000`)).body,
    );
    expect(page).toMatchObject({ output: "Name: me\nhello me\n", waited: "met", exit_code: 0 });
    expect(InputResponse.parse((await call(`${session_id}/input`, { text: "x" })).body).taken).toBe(false);
  });

  it("resizes, and shows the screen of that size", async () => {
    const { session_id } = await bridge.run(
      "stty -echo; read -r x; printf '\\033[?1049h\\033[2;5Hfull'; exec sleep 60",
    );
    const size = { cols: 33, rows: 7 };
    expect(ResizeResponse.parse((await call(`${session_id}/resize`, size)).body).size).toEqual(size);
    bridge.sessions.type(session_id, "\r");
    await bridge.until(session_id, "full");
    const screen = OutputResponse.parse((await call(`${session_id}/output?format=screen`)).body);
    expect(screen).toMatchObject({ output: "\n    full", full_screen: true, cursor: { row: 1, column: 8 } });
    await bridge.sessions.close(session_id);
  });

  it("lets go of a wait whose caller has gone", async () => {
    const { session_id } = await bridge.run("exec sleep 60");
    const gone = new AbortController();
    const waiting = call(`${session_id}/output?wait_for=exit&wait_ms=50000`, undefined, gone.signal);
    gone.abort();
    await expect(waiting).rejects.toThrow(/abort/i);
    await bridge.sessions.close(session_id);
  });

  it.each([
    ["an unknown format", "output?format=html", undefined, "format: "],
    ["an offset twice", "output?offset=0&offset=1", undefined, "offset: "],
    ["an unknown wait", "output?wait_for=magic", undefined, "wait_for: "],
    ["a text without a wait for it", "output?text=a", undefined, "text: "],
    ["a wait for a text without one", "output?wait_for=text", undefined, "text: "],
    ["too long a wait", "output?wait_for=exit&wait_ms=55001", undefined, "wait_ms: "],
    ["no input", "input", {}, "text: "],
    ["empty input", "input", { text: "" }, "text: "],
    ["a size of nothing", "resize", { cols: 0, rows: 5 }, "cols: "],
    ["half a size", "resize", { cols: 10 }, "rows: "],
    ["a query with input", "input?x=1", { text: "x" }, "this path takes no query"],
    ["a query with stop", "stop?x=1", {}, "this path takes no query"],
  ])(
    "refuses %s by the name of the field, whatever became of the session",
    async (_what, path, body, field) => {
      const { session } = await bridge.finish("true");
      bridge.sessions.remember([{ ...session, session_id: "term_lostandrefused" }]);
      for (const id of ["term_aaaaaaaa", "term_lostandrefused", session.session_id]) {
        const answer = await call(`${id}/${path}`, body);
        expect(answer.status).toBe(400);
        expect((answer.body as { error: string }).error).toMatch(new RegExp(`^${field}`));
      }
    },
  );

  it("[B3] tells of a session whose bridge crashed how it ended, that its output is gone, and lets nobody wait", async () => {
    const { session } = await bridge.finish("echo of an earlier life");
    const lost: TerminalSession = {
      ...session,
      session_id: "term_ofanearlierone",
      status: "signalled",
      exit_code: null,
      reason: "The terminal bridge stopped unexpectedly; its processes were ended.",
      output_bytes: 100,
    };
    bridge.sessions.remember([lost]);
    const at = lost.session_id;
    const waits = `${at}/output?offset=40&wait_for=exit&wait_ms=50000`;
    expect(OutputResponse.parse((await call(waits)).body)).toMatchObject({
      status: "signalled",
      output: "",
      next: 100,
      has_more: false,
      dropped: 60,
      reason: expect.stringContaining("what it had printed is gone") as string,
    });
    expect((await call(`${at}/input`, { text: "x" })).body).toEqual({ session_id: at, taken: false });
    expect((await call(`${at}/stop`, {})).body).toEqual({
      session_id: at,
      outcome: "already_ended",
      alive: 0,
    });
    expect((await call(`${at}/resize`, { cols: 10, rows: 10 })).status).toBe(200);
    const all = ListResponse.parse((await call("")).body);
    expect(all.sessions.map(({ session_id }) => session_id)).toContain(at);
    expect(bridge.sessions.list().map(({ session_id }) => session_id)).not.toContain(at);

    // The person has closed its tab.
    bridge.sessions.remember([]);
    const left = ListResponse.parse((await call("")).body);
    expect(left.sessions.map(({ session_id }) => session_id)).not.toContain(at);
    expect((await call(`${at}/output`)).status).toBe(404);
  });

  it.each(["input", "resize"])("%s of a terminal that is not there is 404", async (what) => {
    const body = what === "input" ? { text: "x" } : { cols: 10, rows: 10 };
    expect((await call(`term_aaaaaaaa/${what}`, body)).status).toBe(404);
  });
});
