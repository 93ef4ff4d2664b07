import * as fc from "fast-check";
import type { Sample } from "./samples.ts";

/** One request as it goes over the wire. */
export interface MutatedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  /** Undefined for none. */
  body: Buffer | undefined;
}

type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/** Texts that have broken somebody's parser. Numbers are written as they are: JSON.stringify would tame them. */
const evilTexts = [
  "null",
  "true",
  "[]",
  "{}",
  '""',
  "0",
  "-1",
  "1e400",
  "-0",
  "123456789012345678901234567890",
  "0.1e-400",
  "2147483648",
  '"\\u0000"',
  '"\\ud800"',
  '"a\\u0000b"',
  '"__proto__"',
  '{"__proto__":{"a":1}}',
  '{"constructor":{"prototype":{}}}',
  '"%00"',
  '"\'; drop table runs; --"',
  '"../../etc/passwd"',
  '"\u202e"',
  '"${x}"',
  '"%s%n"',
  '"\\\\"',
  '"*"',
  '">"',
  '"a..b"',
  '"9999-12-31T23:59:59Z"',
  '"-000001-01-01T00:00:00Z"',
  '"2026-02-30T00:00:00Z"',
  '"RUN_STATUS_UNSPECIFIED"',
  '"1.5s"',
  `"${"x".repeat(5_000)}"`,
  `${"[".repeat(70)}${"]".repeat(70)}`,
  `[${"1,".repeat(2_000)}1]`,
  '[null,{"a":[]}]',
  '"MQ=="',
];

interface Spot {
  path: (string | number)[];
}

function spotsOf(value: Json, path: (string | number)[] = []): Spot[] {
  if (typeof value !== "object" || value === null) return [{ path }];
  const members = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value);
  return [{ path }, ...members.flatMap(([name, member]) => spotsOf(member, [...path, name]))];
}

/** The JSON text of `value` with one spot replaced by `text`, or taken out when `text` is undefined. */
function writeWith(
  value: Json,
  spot: Spot,
  text: string | undefined,
  at: (string | number)[] = [],
): string | undefined {
  if (at.length === spot.path.length && at.every((name, index) => name === spot.path[index])) return text;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => writeWith(item, spot, text, [...at, index]));
    return `[${items.filter((item) => item !== undefined).join(",")}]`;
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    const written = writeWith(member, spot, text, [...at, name]);
    return written === undefined ? [] : [`${JSON.stringify(name)}:${written}`];
  });
  return `{${members.join(",")}}`;
}

const anyJson = fc.json({ maxDepth: 4 });
const anyText = fc.string({ unit: "binary", maxLength: 40 }).map((text) => JSON.stringify(text));
const replacement = fc.oneof(fc.constantFrom(...evilTexts), anyJson, anyText);

/** A body near the sample's: a member replaced, missing, added or given twice; broken text; broken bytes. */
function bodyOf(sample: Sample): fc.Arbitrary<Buffer | undefined> {
  const good = (sample.body ?? {}) as Json;
  const spots = spotsOf(good);
  const text = (value: string | undefined) => Buffer.from(value ?? "", "utf8");
  const whole = JSON.stringify(good);
  return fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(fc.constantFrom(...spots), replacement)
        .map(([spot, evil]) => text(writeWith(good, spot, evil))),
    },
    { weight: 2, arbitrary: fc.constantFrom(...spots).map((spot) => text(writeWith(good, spot, undefined))) },
    { weight: 2, arbitrary: fc.constant(text(whole)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(anyText, replacement)
        .map(([name, evil]) => text(`{${name}:${evil},${whole.slice(1)}`)),
    },
    { weight: 1, arbitrary: fc.nat(whole.length).map((end) => text(whole.slice(0, end))) },
    { weight: 1, arbitrary: replacement.map(text) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.nat(whole.length), fc.integer({ min: 128, max: 255 })).map(([at, byte]) => {
        const bytes = Buffer.from(`${whole} `);
        bytes[at] = byte;
        return bytes;
      }),
    },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

const pathPieces = [
  "%00",
  "%",
  "%zz",
  "%2e%2e",
  "..",
  "//",
  "%2F",
  "%ff",
  "é",
  "x".repeat(2_000),
  "run_x%0d%0aX: y",
  "?",
  "&a=b&a=c",
  "{id}",
  "*",
];

/** A path near the sample's: a segment or a query value replaced, something appended. */
function pathOf(sample: Sample): fc.Arbitrary<string> {
  const [path = "", query = ""] = sample.path.split("?");
  const segments = path.split("/").slice(1);
  const values = query.split("&").filter((pair) => pair !== "");
  const piece = fc.oneof(fc.constantFrom(...pathPieces), fc.webSegment({ size: "small" }));
  const value = fc.oneof(
    fc.constantFrom(
      "",
      "-1",
      "0",
      "201",
      "1e9",
      "99999999999999999999",
      "NaN",
      "x",
      "%00",
      "%ff",
      "true",
      "a,b,c",
      "'",
    ),
    fc.string({ maxLength: 20 }).map((text) => encodeURIComponent(text)),
  );
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(sample.path) },
    {
      weight: values.length > 0 ? 6 : 0,
      arbitrary: fc
        .tuple(fc.subarray(values), fc.constantFrom(...(values.length > 0 ? values : ["a=b"])), value)
        .map(([some, pair, evil]) => `${path}?${[...some, `${pair.split("=")[0] ?? ""}=${evil}`].join("&")}`),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.nat(segments.length), piece)
        .map(
          ([at, evil]) =>
            `/${segments.map((segment, index) => (index === at ? evil : segment)).join("/")}${at === segments.length ? `/${evil}` : ""}`,
        ),
    },
  );
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

const headerChanges: Record<string, string>[] = [
  {},
  {},
  {},
  { "content-type": "text/plain" },
  { "content-type": "application/json; charset=utf-16" },
  { "content-type": "application/connect+json" },
  { "content-type": "multipart/form-data; boundary=x" },
  { "content-type": "application/x-www-form-urlencoded" },
  { "content-encoding": "gzip" },
  { "x-ironflow-environment": "env_other" },
  { "x-ironflow-environment": "default" },
  { "x-ironflow-run-id": "not a run" },
  { "x-ironflow-run-id": "run_x" },
  { "idempotency-key": "k" },
  { "idempotency-key": "x".repeat(600) },
  { authorization: "Bearer ifkey_nobody" },
  { authorization: "Basic eDp5" },
  { origin: "http://evil.test" },
  { host: "evil.test" },
  { accept: "text/html" },
  { expect: "100-continue" },
  { "connect-timeout-ms": "1" },
];

/** Requests near the samples. */
export function mutatedRequest(samples: readonly Sample[]): fc.Arbitrary<MutatedRequest> {
  return fc.constantFrom(...samples).chain((sample) =>
    fc.record({
      method: fc.oneof(
        { weight: 9, arbitrary: fc.constant(sample.method) },
        { weight: 1, arbitrary: fc.constantFrom(...methods) },
      ),
      path: pathOf(sample),
      headers: fc.constantFrom(...headerChanges),
      body: sample.body === undefined ? fc.constant(undefined) : bodyOf(sample),
    }),
  );
}
