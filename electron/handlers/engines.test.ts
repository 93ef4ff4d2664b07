import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { RightsToAsk } from "../consent/consent.ts";
import { openRemembered, type Remembered } from "../consent/remembered.ts";
import { openEngineStore, type EngineStore } from "../engines/engine-store.ts";
import { openEngines, type Engines } from "../engines/engines.ts";
import type { EngineLink } from "../hub/engine-link.ts";
import { openSettings, type SettingsStore } from "../settings.ts";
import { engineHandlers } from "./engines.ts";

const STAGING = { name: "Staging", url: "https://staging.example", person_may_write: false };
const ANSWER = { caller: "claude", tokenId: "t-1", tool: "ironflow_cancel_run" };
const KEYS = { keeps: false, seal: () => "", open: () => undefined };

let folder: string;
let store: EngineStore;
let settings: SettingsStore;
let remembered: Remembered;
let engines: Engines;
let asked: RightsToAsk[];
/** Keys that the connection that is shown was given, in order. */
let given: (string | undefined)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-engine-handlers-"));
  store = openEngineStore(join(folder, "engines.json"), KEYS, ["Embedded engine"]);
  settings = openSettings(join(folder, "settings.json"));
  remembered = openRemembered(join(folder, "remembered.json"), () => new Date());
  asked = [];
  given = [];
  open(undefined);
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

function open(serverUrl: string | undefined, apiKey?: string): void {
  engines = openEngines({
    flags: { serverUrl, demo: false, allowWrites: false, terminals: false },
    apiKey,
    store,
    writes: () => settings.stored.writes ?? {},
    open: (engine) => {
      given.push(engine.apiKey);
      const { id, name, url = "http://127.0.0.1:9123" } = engine;
      return {
        id,
        name,
        meta: { connection: id, kind: engine.url === undefined ? "embedded" : "remote", url },
        switches: { name, personMayWrite: false, agentsMayWrite: false, terminals: false },
        setKey: (key: string | undefined) => given.push(key),
        idle: async () => {},
        stop: async () => {},
      } as unknown as EngineLink;
    },
    onSwitched: () => {},
    onLeft: async () => {},
    onChanged: () => {},
  });
}

const handlers = () =>
  engineHandlers({
    engines,
    store,
    settings,
    remembered,
    keys: KEYS,
    consent: {
      askRights: async (rights) => {
        asked.push(rights);
        return { approved: true };
      },
    },
    audit: { write: async () => {} },
    test: async () => ({ state: "connected", ms: 1 }),
    ending: new AbortController().signal,
  });

async function add(): Promise<string> {
  const added = await handlers()["engines:add"](STAGING);
  if (!added.ok) throw new Error(added.error.error);
  return added.id;
}
const infoOf = (id: string) => engines.list().find((one) => one.id === id);

describe("an engine that is removed", () => {
  it("takes what was allowed on it along: added again, it begins read-only and asks about everything", async () => {
    const id = await add();
    settings.change({
      writes: { [STAGING.url]: { person: true, agents: true }, embedded: { agents: true } },
    });
    remembered.add({ ...ANSWER, engine: STAGING.url });
    remembered.add({ ...ANSWER, engine: "embedded" });
    expect(await handlers()["engines:remove"]({ id })).toMatchObject({ ok: true });
    expect(settings.stored.writes).toEqual({ embedded: { agents: true } });
    expect(remembered.list().map(({ engine }) => engine)).toEqual(["embedded"]);
    expect(infoOf(await add())).toMatchObject({ person_may_write: false, agents_may_write: false });
  });
});

describe("an address on which rights were given before it is added", () => {
  it.each([
    [undefined, "no, it is read-only", "no"],
    [{ agents: true }, "no, it is read-only", "yes"],
    [{ person: true, agents: true }, "yes", "yes"],
    [{ person: true, agents: false }, "yes", "no"],
  ])("%j: the question says what will be so", async (kept, person, agents) => {
    if (kept !== undefined) settings.change({ writes: { [STAGING.url]: kept } });
    const id = await add();
    expect(asked[0]?.details).toContainEqual({ label: "You may change things", text: person });
    expect(asked[0]?.details).toContainEqual({ label: "Agents may change things", text: agents });
    expect(infoOf(id)).toMatchObject({
      person_may_write: person === "yes",
      agents_may_write: agents === "yes",
    });
  });
});

describe("a key that is taken away", () => {
  it("is not used again, also for an engine that a flag of this launch names", async () => {
    const { id } = store.add({ ...STAGING, api_key: "ifk_old" });
    open(STAGING.url);
    expect(given.at(-1)).toBe("ifk_old");
    await handlers()["engines:set-key"]({ id, api_key: null });
    await handlers()["engines:switch"]({ id: "local" });
    await handlers()["engines:switch"]({ id });
    expect(given.slice(-3)).toEqual([undefined, undefined, undefined]);
    await handlers()["engines:set-key"]({ id, api_key: "ifk_new" });
    expect(given.at(-1)).toBe("ifk_new");
    await handlers()["engines:switch"]({ id: "local" });
    await handlers()["engines:remove"]({ id });
    await handlers()["engines:switch"]({ id });
    expect(given.at(-1), "removed: what its flag names has no key").toBeUndefined();
  });

  it("takes that of the environment with it, which goes before what is kept until then", async () => {
    const { id } = store.add({ ...STAGING, api_key: "ifk_old" });
    open(STAGING.url, "ifk_env");
    expect(infoOf(id)?.key).toBe("this_run");
    await handlers()["engines:switch"]({ id: "local" });
    await handlers()["engines:switch"]({ id });
    expect(given.at(-1), "not the older one, for having been away").toBe("ifk_env");
    await handlers()["engines:set-key"]({ id, api_key: null });
    await handlers()["engines:switch"]({ id: "local" });
    await handlers()["engines:switch"]({ id });
    expect(given.at(-1)).toBeUndefined();
    expect(infoOf(id)?.key).toBe("none");
  });
});

describe("going to another engine", () => {
  it("changes nothing where it cannot be kept", async () => {
    const id = await add();
    store.keepShown = () => {
      throw new Error("no space left on device");
    };
    await expect(handlers()["engines:switch"]({ id })).rejects.toThrow("no space left");
    expect(engines.active.id).toBe("local");
    expect(infoOf("local")?.shown).toBe(true);
  });
});

it("the question about an address speaks of a key only where one is sent", async () => {
  await add();
  expect(asked.at(-1)?.consequence).not.toContain("key");
  await handlers()["engines:add"]({
    ...STAGING,
    name: "Production",
    url: "https://production.example",
    api_key: "ifkey_secret",
  });
  expect(asked.at(-1)?.consequence).toContain("the key");
});
