import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Sealed, SealedRow } from "../store/sealed.ts";
import type { SecretsKey, SecretsKeys } from "./keys.ts";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** Where a value belongs. A ciphertext that is moved to another row does not open there. */
export type SecretPlace = Pick<SealedRow, "environment_id" | "name" | "revision">;

const bindingOf = ({ environment_id: environmentId, name, revision }: SecretPlace) =>
  Buffer.from(JSON.stringify([environmentId, name, revision]), "utf8");

/** AES-256-GCM with a fresh random nonce. */
export function encrypt(key: SecretsKey, place: SecretPlace, value: string): Sealed {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key.bytes, nonce);
  cipher.setAAD(bindingOf(place));
  const ciphertext = Buffer.concat([cipher.update(value, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { key_id: key.id, nonce, ciphertext };
}

/** @throws Error when the row was changed, or the key is another one */
export function decrypt(key: SecretsKey, row: SecretPlace & Sealed): string {
  const decipher = createDecipheriv(algorithm, key.bytes, row.nonce, { authTagLength: tagBytes });
  decipher.setAAD(bindingOf(row));
  decipher.setAuthTag(row.ciphertext.subarray(-tagBytes));
  const body = row.ciphertext.subarray(0, -tagBytes);
  return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
}

/** The value, if the engine has the key it is under. */
export function openSealed(keys: SecretsKeys, row: SecretPlace & Sealed): string | undefined {
  const key = keys.byId(row.key_id);
  try {
    return key === undefined ? undefined : decrypt(key, row);
  } catch {
    return undefined; // the row was changed outside of the engine
  }
}
