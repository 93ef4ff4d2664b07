import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { decrypt, encrypt } from "./cipher.ts";
import { loadSecretsKeys, SECRETS_KEY_FILE, secretsKeysOf, toSecretsKey } from "./keys.ts";

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), "engine-keys-"));
});

afterEach(() => rmSync(dataDir, { recursive: true, maxRetries: 5 }));

const load = (more: { given?: string; previous?: string; file?: string } = {}) =>
  loadSecretsKeys({ dataDir, given: undefined, previous: undefined, file: undefined, ...more });
const keyFile = () => join(dataDir, SECRETS_KEY_FILE);

describe("the key of secrets", () => {
  it("is made once, in a file that only its owner can use", () => {
    const first = load().current;
    expect(first.bytes).toHaveLength(32);
    expect(statSync(keyFile()).mode & 0o777).toBe(process.platform === "win32" ? 0o666 : 0o600);
    expect(load().current).toEqual(first);
  });

  it.skipIf(process.platform === "win32")("is refused when others can use its file", () => {
    load();
    chmodSync(keyFile(), 0o640);
    expect(() => load()).toThrow(/can be used by others \(mode 640\): chmod 600 it$/);
  });

  it.each([
    ["text", "not json"],
    ["nothing", ""],
    ["half of it", '{"version":1,"key":"abc"}'],
    ["another version", JSON.stringify({ version: 2, key: "0".repeat(64) })],
    ["too much", " ".repeat(5_000)],
  ])("is refused when its file holds %s, and the file stays as it is", (_what, text) => {
    writeFileSync(keyFile(), text, { mode: 0o600 });
    expect(() => load()).toThrow(new RegExp(`the secrets key file .*${SECRETS_KEY_FILE} is `));
    expect(readFileSync(keyFile(), "utf8")).toBe(text);
  });

  it("may be given as hex or base64, and then the file still opens what is older", () => {
    const own = load().current;
    const bytes = randomBytes(32);
    const hex = load({ given: bytes.toString("hex") });
    expect(hex).toMatchObject({ current: toSecretsKey(bytes) });
    expect(hex.byId(own.id)).toEqual(own);
    expect(load({ given: bytes.toString("base64") }).current).toEqual(hex.current);
  });

  it("opens what is under the key of before, when that is named too", () => {
    const [now, before] = [randomBytes(32), randomBytes(32)];
    const keys = load({ given: now.toString("hex"), previous: before.toString("base64") });
    expect(keys.current).toEqual(toSecretsKey(now));
    expect(keys.byId(toSecretsKey(before).id)).toEqual(toSecretsKey(before));
    expect(() => load({ given: now.toString("hex"), previous: "short" })).toThrow(
      /^IRONFLOW_MASTER_KEY_PREVIOUS must be 32 bytes/,
    );
  });

  it.each(["short", "zz".repeat(32), "0".repeat(63), Buffer.alloc(31).toString("base64")])(
    "is refused when %j is given, and not repeated",
    (given) => {
      expect(() => load({ given })).toThrow(/^IRONFLOW_MASTER_KEY must be 32 bytes/);
    },
  );

  it("is refused when its file is named and not there, or two are given", () => {
    expect(() => load({ file: join(dataDir, "nowhere") })).toThrow(/nowhere is not there$/);
    expect(() => load({ file: "a", given: "b" })).toThrow(/exclude each other/);
  });
});

describe("a stored secret", () => {
  const cannotOpen = /unable to authenticate/;
  const keys = secretsKeysOf(toSecretsKey(randomBytes(32)));
  const place = { environment_id: "env_a", name: "TOKEN", revision: 3 };
  const row = (value = "grüße") => ({ ...place, ...encrypt(keys.current, place, value) });

  it("opens with its key, and is never encrypted the same way twice", () => {
    expect(decrypt(keys.current, row())).toBe("grüße");
    const all = new Set(Array.from({ length: 200 }, () => Buffer.from(row().ciphertext).toString("hex")));
    expect(all.size).toBe(200);
  });

  it.each([
    ["another environment", { environment_id: "env_b" }],
    ["another name", { name: "OTHER" }],
    ["another revision", { revision: 2 }],
  ])("does not open as that of %s", (_what, change) => {
    expect(() => decrypt(keys.current, { ...row(), ...change })).toThrow(cannotOpen);
  });

  it("does not open when a bit of it was changed, or under another key", () => {
    const good = row();
    for (let at = 0; at < good.ciphertext.length; at += 1) {
      const changed = Uint8Array.from(good.ciphertext);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => decrypt(keys.current, { ...good, ciphertext: changed })).toThrow(cannotOpen);
    }
    expect(() => decrypt(toSecretsKey(randomBytes(32)), good)).toThrow(cannotOpen);
  });
});
