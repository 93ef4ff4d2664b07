import { poll } from "../../../loopback/testing/poll.ts";
import { expectLike, expectThat, isArray, isNumber, isText, isTime } from "../like.ts";
import { openWatch } from "../live-client.ts";
import type { Row } from "../row.ts";
import { WAIT_MS, type Answer, type Body, type Target } from "../target.ts";

/** A bucket of its own, with the prefix that the SDKs give to buckets of applications. */
async function makeBucket(t: Target, config: Body = {}): Promise<string> {
  const name = `APP_${t.name("bucket")}`;
  await t.send("POST", "/api/v1/kv/buckets", { name, ...config });
  return name;
}

const keyPath = (bucket: string, key: string) => `/api/v1/kv/buckets/${bucket}/keys/${key}`;
const put = (t: Target, bucket: string, key: string, value: unknown, headers: Record<string, string> = {}) =>
  t.raw("PUT", keyPath(bucket, key), {
    body: value,
    headers: {
      ...(typeof value === "string" ? { "content-type": "application/octet-stream" } : {}),
      ...headers,
    },
  });
const revisionOf = (answer: Answer) => Number((answer.json as Body)["revision"]);
const textOf = (entry: unknown) => Buffer.from(String((entry as Body)["value"]), "base64").toString("utf8");

/** Section 2.10. */
export const kvRows: Row[] = [
  {
    id: "2.10.buckets",
    mark: "S",
    title: "a bucket that is made is in the list with its settings, and gone when deleted",
    check: async (t) => {
      const name = await makeBucket(t, { description: "for a test", ttl_seconds: 3600, history: 5 });
      const wanted = { name, ttl_seconds: 3600, history: 5, values: 0, created_at: isTime };
      expectLike(await t.get(`/api/v1/kv/buckets/${name}`), wanted);
      const list = (await t.get("/api/v1/kv/buckets")) as Body;
      expectLike(list, { buckets: isArray, count: isNumber });
      expectThat(
        "it is in the list",
        (list["buckets"] as Body[]).some((row) => row["name"] === name),
      );
      expectLike(await t.raw("DELETE", `/api/v1/kv/buckets/${name}`), { status: 204 });
      await t.restFails("GET", `/api/v1/kv/buckets/${name}`, 404);
    },
  },
  {
    id: "2.10.put-get",
    mark: "S",
    title: "a value is answered in base64 with its revision, JSON and text byte for byte",
    check: async (t) => {
      const bucket = await makeBucket(t);
      const json = await put(t, bucket, "settings.theme", { dark: true, n: 1 });
      expectLike(json, { status: 200, json: { revision: isNumber } });
      const entry = await t.get(keyPath(bucket, "settings.theme"));
      expectLike(entry, {
        key: "settings.theme",
        revision: revisionOf(json),
        operation: "put",
        created_at: isTime,
      });
      expectLike(textOf(entry), '{"dark":true,"n":1}');
      await put(t, bucket, "text/with=odd_key", "grüße, { no json");
      expectLike(textOf(await t.get(keyPath(bucket, "text/with=odd_key"))), "grüße, { no json");
    },
  },
  {
    id: "2.10.create-only",
    mark: "S",
    title: "If-None-Match: * makes a key and is 409 for one that is there",
    check: async (t) => {
      const bucket = await makeBucket(t);
      const headers = { "if-none-match": "*" };
      expectLike(await put(t, bucket, "once", "1", headers), { status: 200 });
      expectLike(await put(t, bucket, "once", "2", headers), { status: 409, json: { error: isText } });
      expectLike(textOf(await t.get(keyPath(bucket, "once"))), "1");
    },
  },
  {
    id: "2.10.compare-and-set",
    mark: "S",
    title: "If-Match with the key's revision writes, with an older one it is 409",
    check: async (t) => {
      const bucket = await makeBucket(t);
      const first = revisionOf(await put(t, bucket, "n", "1"));
      const second = await put(t, bucket, "n", "2", { "if-match": String(first) });
      expectLike(second, { status: 200 });
      expectThat("revisions grow", revisionOf(second) > first);
      expectLike(await put(t, bucket, "n", "3", { "if-match": String(first) }), { status: 409 });
      expectLike(textOf(await t.get(keyPath(bucket, "n"))), "2");
    },
  },
  {
    id: "2.10.delete",
    mark: "S",
    title: "a deleted key is 404 and out of the list; purge does the same to its history",
    check: async (t) => {
      const bucket = await makeBucket(t, { history: 5 });
      await put(t, bucket, "x", "1");
      await put(t, bucket, "y", "1");
      expectLike(await t.raw("DELETE", keyPath(bucket, "x")), { status: 204 });
      await t.restFails("GET", keyPath(bucket, "x"), 404);
      expectLike(await t.get(`/api/v1/kv/buckets/${bucket}/keys`), { keys: ["y"], count: 1 });
      expectLike(await t.raw("DELETE", `${keyPath(bucket, "y")}?purge=true`), { status: 204 });
      expectLike(await t.get(`/api/v1/kv/buckets/${bucket}/keys`), { keys: [], count: 0 });
    },
  },
  {
    id: "2.10.filter",
    mark: "S",
    title: "keys can be asked for by a pattern",
    check: async (t) => {
      const bucket = await makeBucket(t);
      for (const key of ["user.1", "user.2", "order.1"]) await put(t, bucket, key, "v");
      expectLike(await t.get(`/api/v1/kv/buckets/${bucket}/keys?filter=user.*`), {
        keys: ["user.1", "user.2"],
        count: 2,
      });
    },
  },
  {
    id: "2.10.ttl",
    mark: "S",
    title: "a key of a bucket with a time to live is gone after it",
    check: async (t) => {
      const bucket = await makeBucket(t, { ttl_seconds: 1 });
      await put(t, bucket, "x", "1");
      await t.get(keyPath(bucket, "x"));
      await poll(
        "the key to expire",
        async () => (await t.raw("GET", keyPath(bucket, "x"))).status === 404,
        WAIT_MS,
      );
    },
  },
  {
    id: "2.10.history",
    mark: "U",
    title: "the history of a key is what its bucket keeps, newest first, each revision's value by itself",
    check: async (t) => {
      const bucket = await makeBucket(t, { history: 2 });
      for (const text of ["1", "22", "333"]) await put(t, bucket, "x", text);
      const history = (await t.get(`/api/v1/kv/buckets/${bucket}/history/x`)) as Body;
      expectLike(history, {
        entries: [
          { operation: "put", size: 3, created_at: isTime },
          { operation: "put", size: 2, created_at: isTime },
        ],
        count: 2,
      });
      const older = Number((history["entries"] as Body[])[1]?.["revision"]);
      expectLike(textOf(await t.get(`${keyPath(bucket, "x")}?revision=${older}`)), "22");
    },
  },
  {
    id: "2.10.watch",
    mark: "S",
    title: "a watch tells what is there, then every put and delete that fits its key",
    check: async (t) => {
      const bucket = await makeBucket(t);
      await put(t, bucket, "user.1", "old");
      const { frames, close } = await openWatch(t, `/api/v1/kv/buckets/${bucket}/watch`, { key: "user.*" });
      try {
        await put(t, bucket, "user.2", "new");
        await put(t, bucket, "order.1", "not asked for");
        await t.raw("DELETE", keyPath(bucket, "user.1"));
        await poll("a frame of the delete", () => frames.some((f) => f["operation"] === "delete"), WAIT_MS);
        const base64 = (text: string) => Buffer.from(text).toString("base64");
        expectLike(frames, [
          { type: "kv_update", bucket, key: "user.1", value: base64("old"), operation: "put", revision: 1 },
          { type: "kv_update", key: "user.2", value: base64("new"), operation: "put", revision: 2 },
          { type: "kv_update", key: "user.1", operation: "delete", revision: 4 },
        ]);
      } finally {
        close();
      }
    },
  },
  {
    id: "2.10.refusals",
    mark: "I",
    title: "bad names, keys, conditions and JSON are 400 and name the field",
    check: async (t) => {
      const bucket = await makeBucket(t);
      const said = async (answer: Promise<Answer>) => {
        const { status, json } = await answer;
        return `${status} ${String((json as Body)["error"])}`;
      };
      expectLike(await said(t.raw("POST", "/api/v1/kv/buckets", { body: { name: "a b" } })), /^400 name: /);
      expectLike(await said(t.raw("POST", "/api/v1/kv/buckets", { body: { name: "SYS_x" } })), /^400 name: /);
      expectLike(await said(put(t, bucket, ".x", "1")), /^400 key: /);
      expectLike(await said(put(t, bucket, "x", "1", { "if-match": "soon" })), /^400 If-Match: /);
      expectLike(
        await said(put(t, bucket, "x", "{", { "content-type": "application/json" })),
        /^400 body: is not valid JSON/,
      );
      expectLike(
        await said(t.raw("POST", "/api/v1/kv/buckets", { body: { name: bucket } })),
        /^409 .*exists/,
      );
      await t.restFails("GET", keyPath("APP_nobody-has-this", "x"), 404);
    },
  },
];
