import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { KeyStore } from "../engines/key-store.ts";
import { SEALED_KEY_FILE, secretsKey } from "./secrets-key.ts";

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "ironbridge-key-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }));

/** A key store of its own, with a key of its own. */
function createKeyStore({ keeps = true }: { keeps?: boolean } = {}): KeyStore {
  const key = randomBytes(32);
  const nonce = Buffer.alloc(12);
  return {
    keeps,
    seal: (secret) => {
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const sealed = [cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString("base64");
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: 16 });
      decipher.setAuthTag(bytes.subarray(-16));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString("utf8");
      } catch {
        return undefined;
      }
    },
  };
}

const sealedFile = () => join(dataDir, SEALED_KEY_FILE);
const engineFile = () => join(dataDir, ".ironflow_secrets_key.json");
const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return error instanceof Error ? `${error.message} ${JSON.stringify(error)} ${String(error.cause)}` : "";
  }
  throw new Error("it was not refused");
};

describe("the key of the embedded engine's secrets", () => {
  it("is made once, comes back from the key store, and lies nowhere as it is", () => {
    const keyStore = createKeyStore();
    const key = secretsKey(dataDir, keyStore);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(secretsKey(dataDir, keyStore)).toBe(key);
    expect(readdirSync(dataDir)).toEqual([SEALED_KEY_FILE]);
    const text = readFileSync(sealedFile(), "utf8");
    for (const form of [key ?? "", Buffer.from(key ?? "", "hex").toString("base64")])
      expect(text).not.toContain(form);
    expect(statSync(sealedFile()).mode & 0o777).toBe(process.platform === "win32" ? 0o666 : 0o600);
  });

  it("is the engine's own where there is no safe key store, and nothing is written", () => {
    expect(secretsKey(dataDir, createKeyStore({ keeps: false }))).toBeUndefined();
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it("stays in the engine's key file where there is one, so that what is stored can be read", () => {
    writeFileSync(engineFile(), "{}", { mode: 0o600 });
    expect(secretsKey(dataDir, createKeyStore())).toBeUndefined();
    expect(existsSync(sealedFile())).toBe(false);
  });

  it("stays the key store's when an engine that was started alone made a file beside it", () => {
    const keyStore = createKeyStore();
    const key = secretsKey(dataDir, keyStore);
    writeFileSync(engineFile(), "{}", { mode: 0o600 });
    expect(secretsKey(dataDir, keyStore)).toBe(key);
  });

  it("is not used when the key store does not give it back at once", () => {
    const keyStore = { ...createKeyStore(), open: () => "nonsense" };
    expect(secretsKey(dataDir, keyStore)).toBeUndefined();
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it.each([
    ["has lost its key", () => createKeyStore(), /does not give it back/],
    ["is not there", () => createKeyStore({ keeps: false }), /there is no key store now/],
    [
      "decrypts into something else",
      () => ({ ...createKeyStore(), open: () => "another secret" }),
      /gives back is another/,
    ],
  ])("is refused with a sentence when the key store %s, and nothing is overwritten", (_what, other, why) => {
    const keyStore = createKeyStore();
    const key = secretsKey(dataDir, keyStore);
    const before = readFileSync(sealedFile(), "utf8");
    const message = messageOf(() => secretsKey(dataDir, other()));
    expect(message).toMatch(why);
    expect(message).toContain(`move ${sealedFile()} away`);
    expect(message).not.toContain(key);
    expect(message).not.toContain("another secret");
    expect(readFileSync(sealedFile(), "utf8")).toBe(before);
    expect(readdirSync(dataDir)).toEqual([SEALED_KEY_FILE]);
    // The key store came back.
    expect(secretsKey(dataDir, keyStore)).toBe(key);
  });

  it.each(["", "{", '{"version":2,"key":"AAAA"}', '{"version":1,"key":"?"}'])(
    "is refused when its file holds %j, which stays as it is",
    (text) => {
      writeFileSync(sealedFile(), text);
      expect(messageOf(() => secretsKey(dataDir, createKeyStore()))).toMatch(/is damaged/);
      expect(readFileSync(sealedFile(), "utf8")).toBe(text);
    },
  );

  it.skipIf(process.platform === "win32" || process.getuid?.() === 0)(
    "is not used when it cannot be kept",
    () => {
      chmodSync(dataDir, 0o500);
      expect(() => secretsKey(dataDir, createKeyStore())).toThrow(/EACCES/);
      chmodSync(dataDir, 0o700);
    },
  );
});
