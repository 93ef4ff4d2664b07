import { rawConnection } from "./raw-http.ts";

/** A server under test: a door of it that takes a POST of JSON, and a token that opens it. */
export interface FaultyTarget {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly path: string;
  readonly token: string;
}

export interface WireFault {
  readonly title: string;
  /** $H, $P and $T stand for the server's Host, the door and the token. */
  readonly bytes: string;
  readonly status: number;
  readonly text: string;
  /** The caller sends no more, and says so. */
  readonly hangsUp?: true;
}

const START =
  "POST $P HTTP/1.1\r\nHost: $H\r\nAuthorization: Bearer $T\r\nContent-Type: application/json\r\n";
const CHUNKED = `${START}Transfer-Encoding: chunked\r\n\r\n`;
const bad = { status: 400, text: "bad request" } as const;

/** What no handler of Node's server sees: its parser stumbles over it, or Node answers or drops it by itself. */
export const WIRE_FAULTS: readonly WireFault[] = [
  { title: "bytes that are no HTTP", bytes: "hello\r\n\r\n", ...bad },
  {
    title: "a greeting of TLS",
    bytes: "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
    ...bad,
  },
  { title: "the preface of HTTP/2", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", ...bad },
  { title: "a version of HTTP that is none", bytes: "GET $P HTTP/9.9\r\nHost: $H\r\n\r\n", ...bad },
  {
    title: "a method that is none",
    bytes: START.replace("POST", "BREW") + "Content-Length: 2\r\n\r\n{}",
    ...bad,
  },
  {
    title: "CONNECT to elsewhere",
    bytes: "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n",
    ...bad,
  },
  {
    title: "CONNECT to us, with the token",
    bytes: "CONNECT $H HTTP/1.1\r\nHost: $H\r\nAuthorization: Bearer $T\r\n\r\n",
    ...bad,
  },
  { title: "no Host", bytes: START.replace("Host: $H\r\n", "") + "Content-Length: 2\r\n\r\n{}", ...bad },
  { title: "a length that is none", bytes: `${START}Content-Length: two\r\n\r\n{}`, ...bad },
  { title: "a chunk without a length", bytes: `${CHUNKED}zz\r\n{}\r\n0\r\n\r\n`, ...bad },
  { title: "a request that ends in its headers", bytes: START, ...bad, hangsUp: true },
  {
    title: "a chunk with an endless extension",
    bytes: `${CHUNKED}2;${"x".repeat(20_000)}`,
    status: 413,
    text: "content too large",
  },
  {
    title: "an expectation that nobody knows",
    bytes: `${START}Expect: tea\r\nContent-Length: 2\r\n\r\n{}`,
    status: 417,
    text: "expectation failed",
  },
  {
    title: "headers over 16 KiB",
    bytes: `${START}X: ${"x".repeat(200_000)}\r\n\r\n`,
    status: 431,
    text: "request header fields too large",
  },
];

/** Sends `bytes` on a connection of their own, and reads the one answer that comes before the server ends it. */
export async function answerOnTheWire(
  { url, path, token }: FaultyTarget,
  { bytes, hangsUp }: Pick<WireFault, "bytes" | "hangsUp">,
) {
  const { host, port } = new URL(url);
  const raw = await rawConnection(Number(port));
  const filled = bytes.replaceAll("$H", host).replaceAll("$P", path).replaceAll("$T", token);
  raw.write(Buffer.from(filled, "latin1"));
  if (hangsUp === true) raw.socket.end();
  return readAnswer(await raw.closed());
}

/** The status and the JSON of one answer. @throws when there is none, another one behind it, or it is not told as it is */
export function readAnswer(received: string): { status: number; body: unknown } {
  const [, status, head = "", text = ""] =
    /^HTTP\/1\.1 (\d{3}) [^\r\n]+\r\n([^]*?)\r\n\r\n([^]*)$/.exec(received) ?? [];
  const headers = new Map(
    head.split("\r\n").map((line) => [line.replace(/:.*/, "").toLowerCase(), line.replace(/^[^:]*: */, "")]),
  );
  const said = ["content-type", "content-length", "connection"].map((name) => headers.get(name));
  const wanted = ["application/json", String(text.length), "close"];
  if (text === "" || said.join() !== wanted.join())
    throw new Error(`not one answer in JSON that ends the connection: ${received}`);
  return { status: Number(status), body: JSON.parse(text) };
}
