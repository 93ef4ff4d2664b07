import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { BodyAborted, readJson } from "./body.ts";
import { guardRequest, type GuardPolicy } from "./guard.ts";
import { listen, type LoopbackServer } from "./listen.ts";
import { sendRefusal } from "./refusal.ts";
import { poll } from "./testing/poll.ts";
import { rawConnection, type RawConnection } from "./testing/raw-http.ts";
import { makeToken, sameToken } from "./token.ts";

const TOKEN = makeToken("ibt_");
const MAX_BYTES = 1_000;
const SECRET_ANSWER = "answer-behind-the-guard";

let server: LoopbackServer;
const admitted: string[] = [];
const problems: unknown[] = [];
const open: RawConnection[] = [];

beforeAll(async () => {
  server = await listen(
    (at) => {
      const policy: GuardPolicy<string> = {
        hosts: new Set([at.host]),
        allowedOrigins: new Set(),
        routes: [
          { path: "/mcp", methods: ["POST"] },
          { path: "/throw", methods: ["POST"] },
        ],
        authenticate: (token) => (sameToken(token, TOKEN) ? "alice" : undefined),
      };
      return async (request, response) => {
        const entry = guardRequest(request, policy);
        if (!entry.ok) {
          sendRefusal(request, response, entry);
          return;
        }
        admitted.push(entry.path);
        if (entry.path === "/throw") throw new Error("details at /home/alice");
        const body = await readJson(request, { maxBytes: MAX_BYTES, maxDrainBytes: 100_000 });
        response.setHeader("content-type", "application/json");
        response.statusCode = body.ok ? 200 : body.status;
        response.end(
          JSON.stringify(body.ok ? { got: body.value, say: SECRET_ANSWER } : { error: body.message }),
        );
      };
    },
    { onError: (error) => problems.push(error), requestTimeoutMs: 5_000 },
  );
});
afterAll(() => server.close());
afterEach(() => {
  for (const connection of open.splice(0)) connection.destroy();
  admitted.length = 0;
  problems.length = 0;
});

async function connection(): Promise<RawConnection> {
  const raw = await rawConnection(server.port);
  open.push(raw);
  return raw;
}

const HEAD = () => `Host: ${server.host}\r\nAuthorization: Bearer ${TOKEN}\r\n`;
const post = (body: string, path = "/mcp") =>
  `POST ${path} HTTP/1.1\r\n${HEAD()}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

describe("a guarded server", () => {
  it("answers a right request", async () => {
    const raw = await connection();
    raw.write(post('{"a":1}'));
    expect(
      await raw.until(new RegExp(`HTTP/1.1 200 OK[^]*"got":\\{"a":1\\},"say":"${SECRET_ANSWER}"`)),
    ).toBeTruthy();
  });

  // $H stands for our own Host, $T for the right token.
  const body = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
  const auth = "Authorization: Bearer $T\r\n";
  it.each<[string, string, number]>([
    ["no Host", `POST /mcp HTTP/1.1\r\n${auth}${body}`, 400],
    ["HTTP/1.0 without Host", `POST /mcp HTTP/1.0\r\n${auth}${body}`, 400],
    ["two Hosts", `POST /mcp HTTP/1.1\r\nHost: $H\r\nHost: $H\r\n${auth}${body}`, 400],
    [
      "a foreign Host before ours",
      `POST /mcp HTTP/1.1\r\nHost: evil.example\r\nHost: $H\r\n${auth}${body}`,
      400,
    ],
    ["a foreign Host", `POST /mcp HTTP/1.1\r\nHost: evil.example\r\n${auth}${body}`, 403],
    ["the name localhost", `POST /mcp HTTP/1.1\r\nHost: localhost:$P\r\n${auth}${body}`, 403],
    ["an empty Host", `POST /mcp HTTP/1.1\r\nHost:\r\n${auth}${body}`, 403],
    ["an absolute target of ours", `POST http://$H/mcp HTTP/1.1\r\nHost: $H\r\n${auth}${body}`, 400],
    [
      "an absolute target of another",
      `POST http://evil.example/mcp HTTP/1.1\r\nHost: $H\r\n${auth}${body}`,
      400,
    ],
    ["the asterisk", `OPTIONS * HTTP/1.1\r\nHost: $H\r\n${auth}\r\n`, 400],
    ["Origin null", `POST /mcp HTTP/1.1\r\nHost: $H\r\nOrigin: null\r\n${auth}${body}`, 403],
    [
      "an Origin of our own address",
      `POST /mcp HTTP/1.1\r\nHost: $H\r\nOrigin: http://$H\r\n${auth}${body}`,
      403,
    ],
    [
      "a foreign Origin",
      `POST /mcp HTTP/1.1\r\nHost: $H\r\nOrigin: https://evil.example\r\n${auth}${body}`,
      403,
    ],
    ["two Origins", `POST /mcp HTTP/1.1\r\nHost: $H\r\nOrigin: a\r\nOrigin: b\r\n${auth}${body}`, 400],
    [
      "a cross-site page",
      `POST /mcp HTTP/1.1\r\nHost: $H\r\nSec-Fetch-Site: cross-site\r\n${auth}${body}`,
      403,
    ],
    ["no token", `POST /mcp HTTP/1.1\r\nHost: $H\r\n${body}`, 401],
    ["a wrong token", `POST /mcp HTTP/1.1\r\nHost: $H\r\nAuthorization: Bearer x\r\n${body}`, 401],
    [
      "a right token and another",
      `POST /mcp HTTP/1.1\r\nHost: $H\r\n${auth}Authorization: Bearer x\r\n${body}`,
      400,
    ],
    [
      "a token with two spaces",
      `POST /mcp HTTP/1.1\r\nHost: $H\r\nAuthorization: Bearer  $T\r\n${body}`,
      401,
    ],
    ["a folded token", `POST /mcp HTTP/1.1\r\nHost: $H\r\nAuthorization: Bearer\r\n $T\r\n${body}`, 400],
    ["the token in the query", `POST /mcp?token=$T HTTP/1.1\r\nHost: $H\r\n${body}`, 400],
    [
      "the token in query and header",
      `POST /mcp?access_token=$T HTTP/1.1\r\nHost: $H\r\n${auth}${body}`,
      400,
    ],
    ["the token in a cookie", `POST /mcp HTTP/1.1\r\nHost: $H\r\nCookie: token=$T\r\n${body}`, 401],
    ["dot segments", `POST /x/../mcp HTTP/1.1\r\nHost: $H\r\n${auth}${body}`, 400],
    ["bad percent-encoding", `POST /mcp/%ff HTTP/1.1\r\nHost: $H\r\n${auth}${body}`, 400],
    ["two slashes", `POST //mcp HTTP/1.1\r\nHost: $H\r\n${auth}${body}`, 400],
    ["raw UTF-8 in the path", `POST /mcp/\u00c3\u00a9 HTTP/1.1\r\nHost: $H\r\n${auth}${body}`, 400],
    ["another path", `POST /admin HTTP/1.1\r\nHost: $H\r\n${auth}${body}`, 404],
    ["another method", `DELETE /mcp HTTP/1.1\r\nHost: $H\r\n${auth}\r\n`, 405],
    [
      "an overridden method",
      `GET /mcp HTTP/1.1\r\nHost: $H\r\nX-HTTP-Method-Override: POST\r\n${auth}\r\n`,
      405,
    ],
    [
      "a form",
      `POST /mcp HTTP/1.1\r\nHost: $H\r\n${auth}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
      415,
    ],
    ["two types", `POST /mcp HTTP/1.1\r\nHost: $H\r\n${auth}Content-Type: text/plain\r\n${body}`, 400],
    ["a compressed body", `POST /mcp HTTP/1.1\r\nHost: $H\r\n${auth}Content-Encoding: gzip\r\n${body}`, 415],
    ["two lengths", `POST /mcp HTTP/1.1\r\nHost: $H\r\n${auth}Content-Length: 3\r\n${body}`, 400],
    [
      "a length and chunks",
      `POST /mcp HTTP/1.1\r\nHost: $H\r\n${auth}Transfer-Encoding: chunked\r\n${body}`,
      400,
    ],
    [
      "a coding that nobody undoes",
      `POST /mcp HTTP/1.1\r\nHost: $H\r\n${auth}Content-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      400,
    ],
    [
      "a foreign Origin behind 3000 headers",
      `POST /mcp HTTP/1.1\r\nHost: $H\r\n${auth}${"a:\r\n".repeat(3000)}Origin: https://evil.example\r\n${body}`,
      403,
    ],
    [
      "a form whose type and length come behind 3000 headers",
      `POST /mcp HTTP/1.1\r\nHost: $H\r\n${auth}${"a:\r\n".repeat(3000)}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`,
      415,
    ],
    ["a NUL in a header", `POST /mcp HTTP/1.1\r\nHost: $H\r\nX: a\0b\r\n${auth}${body}`, 400],
    ["a bare line feed", `POST /mcp HTTP/1.1\nHost: $H\n${auth}${body}`, 400],
    [
      "headers over 16 KiB",
      `POST /mcp HTTP/1.1\r\nHost: $H\r\nX: ${"x".repeat(17_000)}\r\n${auth}${body}`,
      431,
    ],
    ["another protocol", `SSH-2.0-OpenSSH_9.2\r\n\r\n`, 400],
  ])("refuses %s, closes the connection and says nothing of what is behind", async (_title, form, status) => {
    const raw = await connection();
    const bytes = form
      .replaceAll("$H", server.host)
      .replaceAll("$P", String(server.port))
      .replaceAll("$T", TOKEN);
    raw.write(Buffer.from(bytes, "latin1"));
    const answer = await raw.closed();
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).not.toContain(SECRET_ANSWER);
    expect(answer).not.toContain(TOKEN);
    expect(answer.split("\r\n\r\n")[1]).toMatch(/^\{"error":"[a-z ]+"\}$/);
    expect(admitted).toStrictEqual([]);
  });

  it("sends a challenge with 401", async () => {
    const raw = await connection();
    raw.write(`POST /mcp HTTP/1.1\r\nHost: ${server.host}\r\n\r\n`);
    expect(await raw.closed()).toContain("www-authenticate: Bearer\r\n");
  });

  it("cuts off a caller without a token that never stops sending", async () => {
    const raw = await connection();
    raw.write(`POST /mcp HTTP/1.1\r\nHost: ${server.host}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    const more = setInterval(() => {
      raw.write(`4000\r\n${"x".repeat(0x4000)}\r\n`);
    }, 1);
    try {
      expect(await raw.closed()).toMatch(/^HTTP\/1.1 401 |^$/);
    } finally {
      clearInterval(more);
    }
  });

  it("answers 500 without details when a handler throws, and tells us why", async () => {
    const raw = await connection();
    raw.write(post("{}", "/throw"));
    const answer = await raw.closed();
    expect(answer).toMatch(/^HTTP\/1.1 500 [^]*\{"error":"internal error"\}$/);
    expect(answer).not.toContain("alice");
    expect(problems).toMatchObject([{ message: "details at /home/alice" }]);
  });
});

describe("a body", () => {
  const nested = (levels: number) => Buffer.from("[".repeat(levels) + "]".repeat(levels));
  const sized = (bytes: number) => JSON.stringify("x".repeat(bytes - 2));
  const chunked = (body: string) =>
    `POST /mcp HTTP/1.1\r\n${HEAD()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n` +
    `${(body.match(/[^]{1,300}/g) ?? []).map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join("")}0\r\n\r\n`;

  it.each([
    ["with a length", post],
    ["in chunks", chunked],
  ])(
    "%s: the limit itself passes, one byte more is 413, and the connection goes on",
    async (_title, send) => {
      const raw = await connection();
      raw.write(send(sized(MAX_BYTES)));
      await raw.until(/HTTP\/1.1 200 /);
      raw.write(send(sized(MAX_BYTES + 1)));
      await raw.until(/HTTP\/1.1 413 [^]*request body is over 1000 bytes/);
      raw.write(send(sized(50_000)));
      await raw.until(/413 [^]*HTTP\/1.1 413 /);
      raw.write(send('{"last":true}'));
      expect(await raw.until(/"got":\{"last":true\}/)).toBeTruthy();
    },
  );

  it("that does not end is cut off after the drain limit", async () => {
    const raw = await connection();
    raw.write(
      `POST /mcp HTTP/1.1\r\n${HEAD()}Content-Type: application/json\r\nContent-Length: 9000000000\r\n\r\n`,
    );
    await raw.until(/HTTP\/1.1 413 /);
    raw.write("x".repeat(200_000));
    expect(await raw.closed()).toContain("413");
  });

  it.each([
    ["broken JSON", Buffer.from('{"a":'), "request body is not valid JSON"],
    ["nothing", Buffer.from(""), "request body is not valid JSON"],
    ["a byte order mark", Buffer.from("\ufeff{}"), "request body is not valid JSON"],
    ["a lone continuation byte", Buffer.from([0x22, 0x80, 0x22]), "request body is not valid UTF-8"],
    ["an overlong slash", Buffer.from([0x22, 0xc0, 0xaf, 0x22]), "request body is not valid UTF-8"],
    ["an encoded surrogate", Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), "request body is not valid UTF-8"],
    ["a character cut in half", Buffer.from([0x22, 0xe2, 0x82]), "request body is not valid UTF-8"],
    ["101 levels", nested(101), "request body is nested deeper than 100 levels"],
    ["450 levels", nested(450), "request body is nested deeper than 100 levels"],
  ])("of %s is 400 with a reason", async (_title, bytes, message) => {
    const raw = await connection();
    raw.write(
      `POST /mcp HTTP/1.1\r\n${HEAD()}Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    );
    raw.write(bytes);
    expect(await raw.until(new RegExp(`HTTP/1.1 400 [^]*${message}`))).toBeTruthy();
  });

  it("may be nested 100 levels deep, and brackets in its texts do not count", async () => {
    const raw = await connection();
    raw.write(post(nested(100).toString()));
    await raw.until(/HTTP\/1.1 200 /);
    raw.write(post(JSON.stringify(`\\"${"[{".repeat(200)}`)));
    expect(await raw.until(/200 [^]*HTTP\/1.1 200 /)).toBeTruthy();
  });

  it("keeps a character that arrives in two pieces", async () => {
    const raw = await connection();
    const bytes = Buffer.from('{"a":"€"}');
    raw.write(
      `POST /mcp HTTP/1.1\r\n${HEAD()}Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    );
    raw.write(bytes.subarray(0, 7));
    await poll("request admitted", () => admitted.length === 1);
    raw.write(bytes.subarray(7));
    expect(await raw.until(/"got":\{"a":"\u00e2\u0082\u00ac"\}/)).toBeTruthy();
  });

  it("whose sender goes away rejects", async () => {
    const raw = await connection();
    raw.write(
      `POST /mcp HTTP/1.1\r\n${HEAD()}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a"`,
    );
    await poll("request admitted", () => admitted.length === 1);
    raw.destroy();
    await poll("the reader to give up", () => problems.length === 1);
    expect(problems[0]).toBeInstanceOf(BodyAborted);
  });
});
