import type { Database } from "./database.ts";
import type { Sealed } from "./sealed.ts";

export interface SecretRow extends Sealed {
  environment_id: string;
  name: string;
  /** Grows by one with each change. */
  revision: number;
  description: string;
  created_at: number;
  updated_at: number;
}

export interface SecretTable {
  /** In order of their names. */
  list(environmentId: string): SecretRow[];
  get(environmentId: string, name: string): SecretRow | undefined;
  /** Adds a secret, or takes the place of the one of this name. */
  put(row: SecretRow): void;
  delete(environmentId: string, name: string): void;
}

export function createSecretTable(db: Database): SecretTable {
  const list = db.prepare<SecretRow>("select * from secrets where environment_id = ? order by name");
  const get = db.prepare<SecretRow>("select * from secrets where environment_id = ? and name = ?");
  const put = db.prepare(
    `insert or replace into secrets
       (environment_id, name, revision, description, key_id, nonce, ciphertext, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const remove = db.prepare("delete from secrets where environment_id = ? and name = ?");
  return {
    list: (environmentId) => list.all(environmentId),
    get: (environmentId, name) => get.get(environmentId, name),
    put: (r) => {
      put.run(
        r.environment_id,
        r.name,
        r.revision,
        r.description,
        r.key_id,
        r.nonce,
        r.ciphertext,
        r.created_at,
        r.updated_at,
      );
    },
    delete: (environmentId, name) => {
      remove.run(environmentId, name);
    },
  };
}
