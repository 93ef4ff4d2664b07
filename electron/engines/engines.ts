import type { EngineInfo } from "../contract/engines.ts";
import { EMBEDDED, NAMED_BY_FLAG, switchesOf, type EngineToOpen, type Widened } from "../connections.ts";
import type { Flags } from "../flags.ts";
import type { EngineLink } from "../hub/engine-link.ts";
import { logError } from "../log.ts";
import type { Writes } from "../settings.ts";
import type { EngineStore, SavedEngine } from "./engine-store.ts";

export interface EnginesParts {
  readonly flags: Pick<Flags, "serverUrl" | "demo"> & Widened;
  /** Key of the engine that a flag of this launch names, from the environment. */
  readonly apiKey: string | undefined;
  readonly store: EngineStore;
  readonly writes: () => Readonly<Record<string, Writes>>;
  readonly open: (engine: EngineToOpen) => EngineLink;
  /** Pages and agents are on another engine from now on; nothing new reaches the one before. */
  readonly onSwitched: (before: EngineLink) => void;
  /** No change is under way any more on an engine that was left. Must not reject. */
  readonly onLeft: (before: EngineLink) => Promise<void>;
  readonly onChanged: (engines: EngineInfo[]) => void;
}

export interface Engines {
  /** The one that pages and agents are on. */
  readonly active: EngineLink;
  list(): EngineInfo[];
  find(id: string): EngineToOpen | undefined;
  /** Puts another engine in the place of the one that is shown. False: there is none of this id. Throws before anything is done. */
  switchTo(id: string): boolean;
  /** Puts another key, or none, in the place of an added engine's key, at once also where it is shown. False: there is none. */
  setKey(id: string, apiKey: string | undefined): boolean;
  /** The engines, or what is said of them, are others now. */
  changed(): void;
  /** The terminal bridge listens somewhere else now. */
  restartTools(): void;
  stop(): Promise<void>;
}

type Bare = Omit<EngineToOpen, "widened">;

const NOT_WIDENED: Widened = { allowWrites: false, terminals: false };

/**
 * The engines of the app, of which one is shown: it alone is there for pages and agents. The embedded engine goes on
 * running what it runs once it was opened; the connection to another one ends when it is left.
 */
export function openEngines(parts: EnginesParts): Engines {
  const { flags, store } = parts;
  const named = namedByFlag();
  /** Engines whose key was changed since the start: that of the environment counts no more. */
  const rekeyed = new Set<string>();
  /** What flags allow, they allow on the engine that they name, else on our own, and on no other. */
  const widenedId = named?.id ?? EMBEDDED.id;
  const widen = ({ id, name, url, apiKey }: Bare): EngineToOpen => ({
    id,
    name,
    url,
    apiKey,
    widened: id === widenedId ? flags : NOT_WIDENED,
  });
  const first = named?.id ?? (flags.demo ? undefined : store.shown?.id) ?? EMBEDDED.id;
  let active = parts.open(find(first) ?? widen(EMBEDDED));
  /** Opened and not stopped: the one that is shown, the embedded one, and those that are being left. */
  const opened = new Set([active]);

  function namedByFlag(): Omit<Bare, "apiKey"> | undefined {
    const url = flags.serverUrl;
    if (url === undefined) return undefined;
    const saved = store.list().find((engine) => sameAddress(engine.url, url));
    const { id, name } = saved ?? { id: NAMED_BY_FLAG, name: new URL(url).host };
    return { id, name, url: saved?.url ?? url };
  }
  const isSaved = (id: string) => store.find(id) !== undefined;
  /** Of the engine that a flag of this launch names. */
  function environmentKey(id: string): string | undefined {
    return id === named?.id && !rekeyed.has(id) ? parts.apiKey : undefined;
  }
  function find(id: string): EngineToOpen | undefined {
    if (id === EMBEDDED.id) return widen(EMBEDDED);
    const saved = store.find(id);
    const engine = saved ?? (id === named?.id ? named : undefined);
    return engine && widen({ ...engine, apiKey: environmentKey(id) ?? saved?.apiKey });
  }

  function infoOf(engine: EngineToOpen, saved?: SavedEngine): EngineInfo {
    const shown = active.id === engine.id;
    const switches = shown ? active.switches : switchesOf(parts.writes(), engine);
    return {
      id: engine.id,
      name: engine.name,
      kind: engine.url === undefined ? "embedded" : "remote",
      url: engine.url ?? [...opened].find(({ id }) => id === EMBEDDED.id)?.meta.url ?? "",
      key: environmentKey(engine.id) === undefined ? (saved?.key ?? "none") : "this_run",
      shown,
      saved: saved !== undefined,
      person_may_write: switches.personMayWrite,
      agents_may_write: switches.agentsMayWrite,
    };
  }
  function list(): EngineInfo[] {
    const launchedOnly =
      named === undefined || isSaved(named.id) ? [] : [infoOf(widen({ ...named, apiKey: undefined }))];
    return [infoOf(widen(EMBEDDED)), ...launchedOnly, ...store.list().map((one) => infoOf(widen(one), one))];
  }

  async function leave(before: EngineLink): Promise<void> {
    await before.idle();
    if (active.id !== before.id) await parts.onLeft(before);
    if (before.id === EMBEDDED.id) return;
    await before.stop();
    opened.delete(before);
  }

  return {
    get active() {
      return active;
    },
    list,
    find,
    switchTo(id) {
      const next = find(id);
      if (next === undefined) return false;
      if (id === active.id) return true;
      // First, because it may fail: then everything is as it was.
      if (id === EMBEDDED.id) store.keepShown(undefined);
      else if (isSaved(id)) store.keepShown(id);
      const before = active;
      const running = id === EMBEDDED.id ? [...opened].find((link) => link.id === id) : undefined;
      active = running ?? parts.open(next);
      opened.add(active);
      parts.onSwitched(before);
      parts.onChanged(list());
      leave(before).catch((cause: unknown) =>
        logError("engines", `${before.name} could not be left in order`, cause),
      );
      return true;
    },
    setKey(id, key) {
      if (!store.setKey(id, key)) return false;
      rekeyed.add(id);
      if (active.id === id) active.setKey(key);
      return true;
    },
    changed: () => parts.onChanged(list()),
    restartTools() {
      for (const link of opened) link.restartTools();
    },
    async stop() {
      await Promise.all([...opened].map((link) => link.stop()));
    },
  };
}

/** Slashes at the end are none of an address: see `EngineAddress`. */
const sameAddress = (a: string, b: string): boolean => plain(a) === plain(b);
const plain = (url: string): string => new URL(url).href.replace(/\/+$/, "");
