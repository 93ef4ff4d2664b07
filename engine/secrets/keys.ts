import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import * as z from "zod/v4";
import { readSecretFile, writeSecretFile } from "../secret-file.ts";

/** A key that secrets are encrypted with. */
export interface SecretsKey {
  /** Tells keys apart; says nothing about their bytes. */
  id: string;
  /** 32 bytes. */
  bytes: Uint8Array;
}

/** The key that is used, and those that older secrets may be under. */
export interface SecretsKeys {
  current: SecretsKey;
  byId(id: string): SecretsKey | undefined;
}

export const SECRETS_KEY_FILE = ".ironflow_secrets_key.json";
const keyBytes = 32;

const KeyFile = z.strictObject({
  version: z.literal(1),
  key: z.string().regex(/^[0-9a-f]{64}$/),
});

export function toSecretsKey(bytes: Uint8Array): SecretsKey {
  const id = createHash("sha256").update("ironflow secrets key\0").update(bytes).digest("hex").slice(0, 16);
  return { id, bytes };
}

export function secretsKeysOf(current: SecretsKey, others: readonly SecretsKey[] = []): SecretsKeys {
  const all = new Map([current, ...others].map((key) => [key.id, key]));
  return { current, byId: (id) => all.get(id) };
}

/**
 * The key the application gives, else that of its file, else that of the file in the data folder, which is made when it is
 * not there. Beside a given key the data folder's one still opens what was stored under it.
 * @throws Error with a sentence; it never holds a key
 */
export function loadSecretsKeys(options: {
  dataDir: string;
  /** 32 bytes as 64 hex digits or in base64. */
  given: string | undefined;
  /** The key of before, in the same form: what is under it is stored anew under the current one. */
  previous: string | undefined;
  file: string | undefined;
}): SecretsKeys {
  const own = join(options.dataDir, SECRETS_KEY_FILE);
  if (options.given !== undefined && options.file !== undefined) {
    throw new Error("IRONFLOW_MASTER_KEY and --secrets-key-file exclude each other");
  }
  const { given, previous } = options;
  const ofFolder = readKeyFile(own);
  const before = previous === undefined ? undefined : parseGiven(previous, "IRONFLOW_MASTER_KEY_PREVIOUS");
  const others = [ofFolder, before].filter((key) => key !== undefined);
  if (given !== undefined) return secretsKeysOf(parseGiven(given, "IRONFLOW_MASTER_KEY"), others);
  if (options.file !== undefined) {
    const key = readKeyFile(options.file);
    if (key === undefined) throw new Error(`the secrets key file ${options.file} is not there`);
    return secretsKeysOf(key, others);
  }
  return secretsKeysOf(ofFolder ?? makeKeyFile(own), others);
}

function parseGiven(text: string, variable: string): SecretsKey {
  const hex = /^[0-9a-fA-F]{64}$/.test(text);
  const bytes = Buffer.from(text, hex ? "hex" : "base64");
  if (bytes.length !== keyBytes || (!hex && bytes.toString("base64") !== text)) {
    throw new Error(`${variable} must be 32 bytes as 64 hex digits or in base64`);
  }
  return toSecretsKey(bytes);
}

function readKeyFile(path: string): SecretsKey | undefined {
  let text: string | undefined;
  try {
    text = readSecretFile(path);
  } catch (cause) {
    throw new Error(`the secrets key file ${cause instanceof Error ? cause.message : path}`, { cause });
  }
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined; // its text must not be in a message
  }
  const parsed = KeyFile.safeParse(value);
  if (!parsed.success) {
    throw new Error(
      `the secrets key file ${path} is damaged: put a copy of it back; without it the secrets that are stored cannot be read`,
    );
  }
  return toSecretsKey(Buffer.from(parsed.data.key, "hex"));
}

/** The file is on disk before a secret is encrypted with its key. */
function makeKeyFile(path: string): SecretsKey {
  const bytes = randomBytes(keyBytes);
  writeSecretFile(path, `${JSON.stringify({ version: 1, key: bytes.toString("hex") })}\n`, 0o600);
  return toSecretsKey(bytes);
}
