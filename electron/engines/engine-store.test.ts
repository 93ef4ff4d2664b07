import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EngineRefused, openEngineStore } from "./engine-store.ts";
import type { KeyStore } from "./key-store.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-engines-"));
  path = join(folder, "engines.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const turned = (text: string) => text.split("").toReversed().join("");
/** Seals by turning a text round, which is enough to tell what was sealed. */
const KEEPS: KeyStore = {
  keeps: true,
  seal: (secret) => turned(secret),
  open: (sealed) => turned(sealed),
};
const NONE: KeyStore = {
  keeps: false,
  seal: () => {
    throw new Error("nothing can be sealed here");
  },
  open: () => undefined,
};
const open = (keys: KeyStore = KEEPS) => openEngineStore(path, keys, ["Embedded engine"]);
const STAGING = { name: "Staging", url: "https://staging.example" };
const ID = /staging-[0-9a-f]{6}/g;
const onDisk = () => readFileSync(path, "utf8");

describe("engines that the person added", () => {
  it("are there again after a restart, with the key that the system keeps; the file has it sealed only", () => {
    const added = open().add({ ...STAGING, api_key: "ifk_secret" });
    expect(added).toMatchObject({ ...STAGING, key: "kept", apiKey: "ifk_secret" });
    expect(added.id).toMatch(/^staging-[0-9a-f]{6}$/);
    expect(onDisk()).not.toContain("ifk_secret");
    expect(open().list()).toEqual([added]);
  });

  it("without a key store keep the key for this run, and say afterwards that it is needed again", () => {
    const store = open(NONE);
    const { id } = store.add({ ...STAGING, api_key: "ifk_secret" });
    expect(store.find(id)).toMatchObject({ key: "this_run", apiKey: "ifk_secret" });
    expect(onDisk()).not.toContain("ifk_secret");
    expect(onDisk()).not.toContain(turned("ifk_secret"));
    expect(open(NONE).find(id)).toMatchObject({ key: "needed", apiKey: undefined });
  });

  it("a key that the system no longer opens is needed again; none is none", () => {
    const { id } = open().add({ ...STAGING, api_key: "ifk_secret" });
    const locked = open({ ...KEEPS, open: () => undefined });
    expect(locked.find(id)).toMatchObject({ key: "needed", apiKey: undefined });
    expect(locked.setKey(id, undefined)).toBe(true);
    expect(locked.find(id)).toMatchObject({ key: "none", apiKey: undefined });
    expect(open().find(id)?.key).toBe("none");
  });

  it.each(["Staging", "5taging", "STAGING", "Embedded engine", "embedded-engine"])(
    "refuse the name %s, which is there or looks like one that is",
    (name) => {
      const store = open();
      store.add(STAGING);
      expect(() => store.add({ name, url: "https://other.example" })).toThrow(EngineRefused);
      expect(store.list()).toHaveLength(1);
    },
  );

  it("refuse an address twice, and let one engine keep its own name", () => {
    const store = open();
    const { id } = store.add(STAGING);
    expect(() => store.add({ ...STAGING, name: "Copy" })).toThrow('"Staging" has this address already');
    expect(store.rename(id, "Staging")).toBe(true);
    expect(store.rename(id, "Warehouse")).toBe(true);
    expect(store.rename("other-1", "Else")).toBe(false);
    expect(
      open()
        .list()
        .map(({ name }) => name),
    ).toEqual(["Warehouse"]);
  });

  it("forget which one is shown with the engine itself", () => {
    const store = open();
    const { id } = store.add({ ...STAGING, api_key: "ifk_secret" });
    store.keepShown(id);
    expect(open().shown?.id).toBe(id);
    expect(store.remove(id)).toBe(true);
    expect(store.remove(id)).toBe(false);
    expect(open().shown).toBeUndefined();
    expect(onDisk()).not.toContain("staging");
  });

  it.each([
    ["cut in the middle", (whole: string) => whole.slice(0, whole.length / 2)],
    ["of another kind", () => "[]"],
    ["with an address that is none", (whole: string) => whole.replace("https://", "file://")],
    ["that gives an added engine the rights of our own", (whole: string) => whole.replaceAll(ID, "local")],
    ["that gives it those of a flag", (whole: string) => whole.replaceAll(ID, "remote")],
    ["with an engine twice", (whole: string) => whole.replace(/\{\s+"id".*?\}/s, "$&, $&")],
    ["with a name that looks like another", (whole: string) => whole.replace("Staging", "\u0405taging")],
  ])("a file %s is said and kept aside, and nothing of it is used", (_, damage) => {
    const store = open();
    store.keepShown(store.add(STAGING).id);
    writeFileSync(path, damage(onDisk()));
    const after = open();
    expect(after.problem).toContain("engines.json");
    expect([after.list(), after.shown]).toEqual([[], undefined]);
  });
});
