import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EngineToOpen } from "../connections.ts";
import type { EngineLink } from "../hub/engine-link.ts";
import { openEngineStore, type EngineStore } from "./engine-store.ts";
import { openEngines, type EnginesParts } from "./engines.ts";

const NO_FLAGS = { serverUrl: undefined, demo: false, allowWrites: false, terminals: false };
const STAGING = { name: "Staging", url: "https://staging.example" };
const KEYS = { keeps: false, seal: () => "", open: () => undefined };

let folder: string;
let store: EngineStore;
/** What happened, in order. */
let told: string[];
let opened: EngineToOpen[];
/** Lets changes that are under way on an engine end. */
let changesEnd: Map<string, () => void>;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-engines-"));
  store = openEngineStore(join(folder, "engines.json"), KEYS, ["Embedded engine"]);
  told = [];
  opened = [];
  changesEnd = new Map();
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

function link(engine: EngineToOpen): EngineLink {
  opened.push(engine);
  const { id, name, url = "http://127.0.0.1:9123" } = engine;
  return {
    id,
    name,
    meta: { connection: id, kind: engine.url === undefined ? "embedded" : "remote", url },
    switches: { name, personMayWrite: false, agentsMayWrite: false, terminals: false },
    idle: () => new Promise<void>((resolve) => changesEnd.set(id, resolve)),
    restartTools: () => told.push(`restart ${id}`),
    stop: async () => void told.push(`stop ${id}`),
  } as unknown as EngineLink;
}
const open = (flags: Partial<EnginesParts["flags"]> = {}, apiKey?: string) =>
  openEngines({
    flags: { ...NO_FLAGS, ...flags },
    apiKey,
    store,
    writes: () => ({}),
    open: link,
    onSwitched: (before) => void told.push(`from ${before.id}`),
    onLeft: async (before) => void told.push(`left ${before.id}`),
    onChanged: () => {},
  });
const settled = () => new Promise((done) => setImmediate(done));

describe("the engine that a start opens", () => {
  it("is the one that was shown last, with what flags allow on the embedded one only", () => {
    const { id } = store.add({ ...STAGING, api_key: "k" });
    store.keepShown(id);
    const engines = open({ allowWrites: true, terminals: true });
    expect(engines.active.id).toBe(id);
    expect(opened[0]).toMatchObject({ apiKey: "k", widened: { allowWrites: false, terminals: false } });
    engines.switchTo("local");
    expect(opened[1]).toMatchObject({ id: "local", widened: { allowWrites: true, terminals: true } });
  });

  it("is the embedded one for the demo, whatever was shown last", () => {
    store.keepShown(store.add(STAGING).id);
    expect(open({ demo: true }).active.id).toBe("local");
  });

  it("is the one of the flag, under its own name where it was added, with the key of the environment", () => {
    const { id } = store.add({ ...STAGING, api_key: "old" });
    const engines = open({ serverUrl: "https://staging.example/", allowWrites: true }, "new");
    expect(opened[0]).toMatchObject({ id, name: "Staging", apiKey: "new", widened: { allowWrites: true } });
    expect(engines.list().map((one) => one.id)).toEqual(["local", id]);
    const other = open({ serverUrl: "http://10.0.0.1:9123" }, "k");
    expect(other.list()[1]).toMatchObject({
      id: "remote",
      name: "10.0.0.1:9123",
      saved: false,
      key: "this_run",
    });
  });
});

describe("going to another engine", () => {
  it("lets changes under way end before the connection that is left does", async () => {
    const { id } = store.add(STAGING);
    const engines = open();
    engines.switchTo(id);
    await settled();
    expect([engines.active.id, told]).toEqual([id, ["from local"]]);
    changesEnd.get("local")?.();
    await settled();
    expect(told, "the embedded engine goes on").toEqual(["from local", "left local"]);
    engines.switchTo("local");
    changesEnd.get(id)?.();
    await settled();
    expect(told.slice(2)).toEqual([`from ${id}`, `left ${id}`, `stop ${id}`]);
    expect(
      opened.map((one) => one.id),
      "the embedded engine is not opened twice",
    ).toEqual(["local", id]);
  });

  it("there and back again before a change ended keeps the sessions of the engine that is shown", async () => {
    const { id } = store.add(STAGING);
    const engines = open();
    engines.switchTo(id);
    engines.switchTo("local");
    changesEnd.get("local")?.();
    changesEnd.get(id)?.();
    await settled();
    expect(told).not.toContain("left local");
    expect(told).toContain(`stop ${id}`);
  });

  it("is kept for the next start, and does nothing where there is no such engine or it is shown", () => {
    const { id } = store.add(STAGING);
    const engines = open();
    expect(engines.switchTo("nobody-1")).toBe(false);
    expect(engines.switchTo("local")).toBe(true);
    expect(told).toEqual([]);
    engines.switchTo(id);
    expect(store.shown?.id).toBe(id);
    engines.switchTo("local");
    expect(store.shown).toBeUndefined();
  });

  it("ends with the app: every connection that is open is stopped", async () => {
    const { id } = store.add(STAGING);
    const engines = open();
    engines.switchTo(id);
    await engines.stop();
    expect(told.filter((one) => one.startsWith("stop")).toSorted()).toEqual(["stop local", `stop ${id}`]);
  });
});
