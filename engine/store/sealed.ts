import type { Database } from "./database.ts";

/** Tables with values that are stored encrypted, and what the name that a value is bound to begins with there. */
export const SEALED_NAME_PREFIX = { secrets: "", agents: "agent:", webhook_secrets: "webhook:" } as const;

/** An encrypted value: where it belongs, and what is stored of it. */
export interface SealedRow {
  holder: keyof typeof SEALED_NAME_PREFIX;
  environment_id: string;
  /** With the prefix of its holder. */
  name: string;
  revision: number;
  /** Which key the value is encrypted with. */
  key_id: string;
  nonce: Uint8Array;
  /** The encrypted value and, at its end, the tag that proves it whole. */
  ciphertext: Uint8Array;
}

/** What is stored of an encrypted value. */
export type Sealed = Pick<SealedRow, "key_id" | "nonce" | "ciphertext">;

/** Every encrypted value of the store, of all environments. */
export interface SealedValues {
  /** Those that are encrypted with another key than this. */
  notUnder(keyId: string): SealedRow[];
  anyNotUnder(keyId: string): boolean;
  /** Stores the same value encrypted anew. */
  put(row: SealedRow, sealed: Sealed): void;
}

export function createSealedValues(db: Database): SealedValues {
  const columns = (table: keyof typeof SEALED_NAME_PREFIX, name: string, environmentId = "environment_id") =>
    `select '${table}' as holder, ${environmentId} as environment_id, '${SEALED_NAME_PREFIX[table]}' || ${name} as name,
       ${table}.revision as revision, key_id, nonce, ciphertext from ${table}`;
  const all = [
    columns("secrets", "name"),
    columns("agents", "name"),
    `${columns("webhook_secrets", "source_id", "webhook_sources.environment_id")}
       join webhook_sources on webhook_sources.id = source_id`,
  ].map((select) => `${select} where key_id <> ?1`);
  const notUnder = db.prepare<SealedRow>(all.join(" union all "));
  const anyNotUnder = db.prepare<SealedRow>(`${all.join(" union all ")} limit 1`);
  const set = "set key_id = ?, nonce = ?, ciphertext = ?";
  const put = {
    secrets: db.prepare(`update secrets ${set} where environment_id = ? and name = ? and revision = ?`),
    agents: db.prepare(`update agents ${set} where environment_id = ? and name = ? and revision = ?`),
    webhook_secrets: db.prepare(
      `update webhook_secrets ${set} where source_id in (select id from webhook_sources where environment_id = ? and id = ?)
       and revision = ?`,
    ),
  };
  return {
    notUnder: (keyId) => notUnder.all(keyId),
    anyNotUnder: (keyId) => anyNotUnder.get(keyId) !== undefined,
    put: (row, { key_id: keyId, nonce, ciphertext }) => {
      const name = row.name.slice(SEALED_NAME_PREFIX[row.holder].length);
      put[row.holder].run(keyId, nonce, ciphertext, row.environment_id, name, row.revision);
    },
  };
}
