import { KvEntry, Secrets } from "../../../mcp/contract/tools/storage.ts";
import { canonicalJson } from "../canonical.ts";
import { shown } from "../visible.ts";
import { optionalTime, readAs, readIfThere, type Previewer } from "./read-target.ts";

export const putValue: Previewer = async (args, read) => {
  const [bucket, key] = [String(args["bucket"]), String(args["key"])];
  const now = await readIfThere(KvEntry, read, "ironflow_kv_get", { bucket, key });
  const where = [shown("Bucket", bucket), shown("Key", key)];
  if (now === undefined) {
    return {
      title: "Write a new value",
      consequence: "A value is written under a key that has none.",
      target: [...where, shown("Stored now", "nothing")],
      effects: ["1 value is added."],
      not_reached: ["Other keys stay as they are."],
      watched: { revision: null },
    };
  }
  return {
    title: "Overwrite a value",
    consequence: "The value that is stored now is overwritten.",
    target: [
      ...where,
      shown("Revision", String(now.revision)),
      shown("Stored now", typeof now.value === "string" ? now.value : canonicalJson(now.value)),
      ...optionalTime("Since", now.created_at),
    ],
    effects: [`1 value of ${now.bytes} bytes (${now.encoding}) is overwritten.`],
    not_reached: [
      "Other keys stay as they are.",
      "Earlier revisions stay as long as the bucket's own history keeps them.",
    ],
    watched: { revision: now.revision },
  };
};

export const setSecret: Previewer = async (args, read) => {
  const { name, env } = args;
  const { items } = await readAs(Secrets, read, "ironflow_list_secrets", env === undefined ? {} : { env });
  const now = items.find((secret) => secret.name === name);
  const where = [
    shown("Secret", String(name)),
    shown("Environment", typeof env === "string" ? env : "the engine key's own"),
  ];
  const next = "Functions that declared it get the new value with their next call.";
  if (now === undefined) {
    return {
      title: "Store a new secret",
      consequence: "A secret is stored under a name that has none.",
      target: [...where, shown("Stored now", "nothing")],
      effects: ["1 secret is added.", next],
      not_reached: ["Other secrets stay as they are."],
      watched: { revision: null },
    };
  }
  return {
    title: "Overwrite a secret",
    consequence:
      "The secret that is stored now is overwritten. It cannot be read, and nothing brings it back.",
    target: [
      ...where,
      shown("Revision", now.revision === undefined ? "not told" : String(now.revision)),
      ...optionalTime("Changed", now.updated_at ?? now.created_at),
    ],
    effects: ["1 secret is overwritten.", next],
    not_reached: [
      "Other secrets, and the same name in other environments, stay as they are.",
      "Calls that are under way keep the value that they began with.",
    ],
    watched: { revision: now.revision ?? null, updated_at: now.updated_at ?? null },
  };
};
