import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/v4";
import { hashToken, makeToken } from "../loopback/token.ts";
import type { Core } from "./core.ts";
import { addKey } from "./execute/auth-events.ts";
import { writeSecretFile } from "./secret-file.ts";
import type { EnvironmentRow } from "./store/environments.ts";

export const BOOTSTRAP_KEY_FILE = ".ironflow_bootstrap_key.json";

const KeyFile = z.object({ key: z.string() });

/**
 * First boot: makes the first key, leaves it in a file that only its owner can read, and keeps its hash. The file is on
 * disk before the hash is, so a crash in between leaves no key that nobody knows. A file that is lost, damaged or of
 * another database gets a new key, which its owner then finds there; keys that were made before go on working.
 */
export async function ensureBootstrapKey(
  core: Core,
  environment: EnvironmentRow,
  dataDir: string,
): Promise<void> {
  const known = keyIn(join(dataDir, BOOTSTRAP_KEY_FILE));
  if (known !== undefined && core.store.environments.environmentOfKey(hashToken(known)) !== undefined) return;
  const key = makeToken("ifkey_");
  writeSecretFile(join(dataDir, BOOTSTRAP_KEY_FILE), `${JSON.stringify({ key })}\n`, 0o400);
  await core.writer.write((tx) => {
    const place = { environmentId: environment.id, servedId: environment.id };
    addKey(core, tx, place, { hash: hashToken(key), name: "bootstrap" });
  });
}

function keyIn(path: string): string | undefined {
  try {
    return KeyFile.parse(JSON.parse(readFileSync(path, "utf8"))).key;
  } catch {
    return undefined; // not there, or no use: there will be a new one
  }
}
