import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/v4";
import { readFileIfThere, writeFileAtomic } from "../atomic-file.ts";
import type { KeyStore } from "../engines/key-store.ts";

/** The engine's key, as the key store sealed it. */
export const SEALED_KEY_FILE = ".ironbridge_secrets_key.json";
/** The engine's own key file, which it makes when it is given no key. */
const ENGINE_KEY_FILE = ".ironflow_secrets_key.json";
const KEY_BYTES = 32;

const SealedKey = z.strictObject({ version: z.literal(1), key: z.base64().min(1).max(8192) });
const Key = z.string().regex(new RegExp(`^[0-9a-f]{${KEY_BYTES * 2}}$`));

/**
 * The key under which the embedded engine keeps secrets, as 64 hex digits (a secret), when the key store keeps it; made at
 * the first start. `undefined` when the engine keeps it in a file of its own: because it did so before, or because there is
 * no safe key store. Nothing is ever overwritten: a key that the key store does not give back may come back with it.
 * @throws Error with a sentence that says what to do
 */
export function secretsKey(dataDir: string, keyStore: KeyStore): string | undefined {
  const path = join(dataDir, SEALED_KEY_FILE);
  const sealed = readFileIfThere(path);
  if (sealed !== undefined) return unseal(path, sealed, keyStore);
  if (existsSync(join(dataDir, ENGINE_KEY_FILE)) || !keyStore.keeps) return undefined;
  const key = randomBytes(KEY_BYTES).toString("hex");
  const sealedKey = keyStore.seal(key);
  // A key that does not come back is not used.
  if (keyStore.open(sealedKey) !== key) return undefined;
  writeFileAtomic(path, `${JSON.stringify({ version: 1, key: sealedKey })}\n`);
  return key;
}

function unseal(path: string, text: string, keyStore: KeyStore): string {
  const refuse = (why: string) =>
    new Error(
      `The engine's secrets are under a key in the system's key store, and ${why}. Unlock the key store, or start the app in the desktop session in which it was first started, and restart the connection; nothing was changed. If that key is lost for good, move ${path} away: the secrets then have to be set again, everything else stays.`,
    );
  if (!keyStore.keeps) throw refuse("there is no key store now");
  let sealed: string;
  try {
    sealed = SealedKey.parse(JSON.parse(text)).key;
  } catch {
    throw refuse(`the file ${path}, which holds it sealed, is damaged`);
  }
  const key = keyStore.open(sealed);
  if (key === undefined) throw refuse("the key store does not give it back");
  // Some key stores open with a wrong key, into nonsense, which must not be used and not be shown.
  if (!Key.safeParse(key).success) throw refuse("what the key store gives back is another");
  return key;
}
