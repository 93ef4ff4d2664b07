import { toText } from "../../upstream/wire-json.ts";
import { dataOf } from "./data.ts";
import type { ToolHandlers } from "./handler.ts";

export const storageHandlers: ToolHandlers<
  | "ironflow_list_secrets"
  | "ironflow_secret_set"
  | "ironflow_kv_list_buckets"
  | "ironflow_kv_list_keys"
  | "ironflow_kv_get"
  | "ironflow_kv_put"
> = {
  ironflow_list_secrets: (filter, { engine, signal }) => engine.listSecrets(filter, { signal }),
  ironflow_secret_set: (secret, { engine, signal }) => engine.setSecret(secret, { signal }),
  ironflow_kv_list_buckets: (_input, { engine, signal }) => engine.listBuckets({ signal }),
  ironflow_kv_list_keys: (filter, { engine, signal }) => engine.listKeys(filter, { signal }),
  ironflow_kv_get: (at, { engine, signal }) => engine.getValue(at, { signal }),
  ironflow_kv_put: ({ bucket, key, value, value_json, text, ...condition }, { engine, signal }) => {
    const stored =
      text === undefined
        ? ({ kind: "json", body: toText(dataOf({ data: value, data_json: value_json })) } as const)
        : ({ kind: "text", body: text } as const);
    return engine.putValue(
      {
        bucket,
        key,
        ...stored,
        expectedRevision: condition.expected_revision,
        createOnly: condition.create_only,
      },
      { signal },
    );
  },
};
