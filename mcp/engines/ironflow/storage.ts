import * as z from "zod/v4";
import type { Bucket, KvEntry, SecretRecord } from "../../contract/tools/storage.ts";
import { parseExactJson } from "../../../loopback/exact-json.ts";
import { isShallow } from "../../../loopback/json-depth.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import { toText } from "../../upstream/wire-json.ts";
import type { Engine } from "../engine.ts";
import { wireCount, wireInteger } from "./int64.ts";
import { drop, text, time } from "./normalise.ts";
import { query, restCall, type RestRequest, type Wire } from "./wire.ts";

type StorageCalls = Pick<
  Engine,
  "listSecrets" | "setSecret" | "listBuckets" | "listKeys" | "getValue" | "putValue"
>;

/** Secrets and the key-value store on the wire: REST in both eras (contract, sections 2.9 and 2.10). */
const WireSecret = z.looseObject({
  name: z.string(),
  revision: wireInteger.nullish(),
  description: z.string().nullish(),
  created_at: z.string().nullish(),
  updated_at: z.string().nullish(),
});
const WireSecrets = z
  .array(WireSecret)
  .nullable()
  .transform((list) => list ?? []);
/** What comes back from a write is not public in full: only the revision is used, where there is one. */
const WireSecretStored = z.looseObject({ revision: wireInteger.nullish() });

const WireBucket = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  values: wireInteger.nullish(),
  bytes: wireInteger.nullish(),
  history: z.number().int().nullish(),
  ttl_seconds: wireInteger.nullish(),
  created_at: z.string().nullish(),
});
const WireBuckets = z.looseObject({ buckets: z.array(WireBucket).nullish() });
const WireKeys = z.looseObject({ keys: z.array(z.string()).nullish(), truncated: z.boolean().optional() });
const WireEntry = z.looseObject({
  key: z.string(),
  value: z.base64().nullish(),
  revision: wireCount,
  created_at: z.string().nullish(),
  operation: z.string().optional(),
});
const WireStored = z.looseObject({ revision: wireCount });

/** Deeper JSON is given as text: whoever walks it would overflow. */
const MAX_LEVELS = 100;

export function storageCalls(wire: Wire): StorageCalls {
  return {
    listSecrets: async ({ env }, call) => {
      const request = { method: "GET", path: "/api/v1/secrets", effect: "read", ...inEnv(env) } as const;
      const secrets = await restCall(wire, request, WireSecrets, call);
      return { items: secrets.map(toSecret) };
    },

    setSecret: async ({ name, value, env }, call) => {
      const write = (request: Pick<RestRequest, "method" | "path" | "effect">, body: object) =>
        restCall(
          wire,
          { ...request, body: toText(body), namesRecord: true, conceal: [value], ...inEnv(env) },
          WireSecretStored,
          call,
        );
      const path = `/api/v1/secrets/${encodeURIComponent(name)}`;
      const overwrite = () => write({ method: "PUT", path, effect: "repeatable" }, { value });
      // Whether PUT makes a new one is not public, so a missing one is made; somebody else may make it in between.
      const overwritten = await unless(["not_found"], overwrite);
      if (overwritten !== undefined) return stored(name, overwritten, false);
      const create = () =>
        write({ method: "POST", path: "/api/v1/secrets", effect: "once" }, { name, value });
      const created = await unless(["already_exists", "aborted"], create);
      if (created !== undefined) return stored(name, created, true);
      return stored(name, await overwrite(), false);
    },

    listBuckets: async (call) => {
      const answer = await restCall(wire, get("/api/v1/kv/buckets"), WireBuckets, call);
      const buckets = (answer.buckets ?? []).map(toBucket);
      return { buckets, count: buckets.length };
    },

    listKeys: async ({ bucket, filter }, call) => {
      const path = `${bucketPath(bucket)}/keys${query({ filter })}`;
      const answer = await restCall(wire, { ...get(path), namesRecord: true }, WireKeys, call);
      const keys = answer.keys ?? [];
      return drop({ bucket, keys, count: keys.length, truncated: answer.truncated });
    },

    getValue: async ({ bucket, key }, call) => {
      const request = { ...get(keyPath(bucket, key)), namesRecord: true } as const;
      return toEntry(bucket, await restCall(wire, request, WireEntry, call));
    },

    putValue: async ({ bucket, key, body, kind, expectedRevision, createOnly }, call) => {
      const isConditional = expectedRevision !== undefined || createOnly;
      const answer = await refusedAsAborted(
        isConditional,
        restCall(
          wire,
          {
            method: "PUT",
            path: keyPath(bucket, key),
            body,
            contentType: kind === "json" ? "application/json" : "application/octet-stream",
            headers: {
              ...(expectedRevision === undefined ? {} : { "if-match": String(expectedRevision) }),
              ...(createOnly ? { "if-none-match": "*" } : {}),
            },
            // The same write twice leaves the same value; under a condition the second one is refused.
            effect: isConditional ? "once" : "repeatable",
            namesRecord: true,
          },
          WireStored,
          call,
        ),
      );
      return { bucket, key, revision: answer.revision };
    },
  };
}

const get = (path: string): RestRequest => ({ method: "GET", path, effect: "read" });

const inEnv = (env: string | undefined) =>
  env === undefined ? {} : { headers: { "x-ironflow-environment": env } };

const bucketPath = (bucket: string): string => `/api/v1/kv/buckets/${encodeURIComponent(bucket)}`;

/** A key may have slashes, which are part of the path. */
const keyPath = (bucket: string, key: string): string =>
  `${bucketPath(bucket)}/keys/${key.split("/").map(encodeURIComponent).join("/")}`;

const stored = (name: string, { revision }: z.output<typeof WireSecretStored>, created: boolean) =>
  drop({ name, revision: revision ?? undefined, created });

/** The outcome of `act`, or undefined when the engine refused it with one of these codes. */
async function unless<T>(codes: readonly string[], act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ToolFailure && codes.includes(error.code)) return undefined;
    throw error;
  }
}

/** HTTP has a status of its own for a condition that does not hold; in the tools' words that is a lost race. */
async function refusedAsAborted<T>(isConditional: boolean, writing: Promise<T>): Promise<T> {
  try {
    return await writing;
  } catch (error) {
    if (!isConditional || !(error instanceof ToolFailure)) throw error;
    if (!["already_exists", "failed_precondition"].includes(error.code)) throw error;
    throw new ToolFailure({
      code: "aborted",
      message: error.message,
      retryable: false,
      hint: "Nothing was written: the key is not as expected. Read it again with ironflow_kv_get, then decide.",
      cause: error,
    });
  }
}

function toSecret(wire: z.output<typeof WireSecret>): SecretRecord {
  return drop({
    name: wire.name,
    revision: wire.revision ?? undefined,
    description: text(wire.description ?? undefined),
    created_at: time(wire.created_at),
    updated_at: time(wire.updated_at),
  });
}

function toBucket(wire: z.output<typeof WireBucket>): Bucket {
  return drop({
    name: wire.name,
    description: text(wire.description ?? undefined),
    values: wire.values ?? undefined,
    bytes: wire.bytes ?? undefined,
    history: wire.history ?? undefined,
    ttl_seconds: wire.ttl_seconds ?? undefined,
    created_at: time(wire.created_at),
  });
}

function toEntry(bucket: string, wire: z.output<typeof WireEntry>): KvEntry {
  const bytes = Buffer.from(wire.value ?? "", "base64");
  return drop({
    bucket,
    key: wire.key,
    revision: wire.revision,
    ...decoded(bytes),
    bytes: bytes.length,
    operation: text(wire.operation),
    created_at: time(wire.created_at),
  });
}

function decoded(bytes: Buffer): Pick<KvEntry, "encoding" | "value"> {
  let written: string;
  try {
    written = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { encoding: "base64", value: bytes.toString("base64") };
  }
  if (!isShallow(written, MAX_LEVELS)) return { encoding: "text", value: written };
  try {
    return { encoding: "json", value: parseExactJson(written) };
  } catch {
    return { encoding: "text", value: written };
  }
}
