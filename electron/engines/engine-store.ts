import { randomBytes } from "node:crypto";
import * as z from "zod/v4";
import { EMBEDDED, NAMED_BY_FLAG } from "../connections.ts";
import { ConnectionId } from "../contract/connection.ts";
import { EngineAddress, EngineName, type EngineInfo, type NewEngine } from "../contract/engines.ts";
import { lookAlike } from "../mcp-endpoint/alike-names.ts";
import { openProfileFile } from "../profile-file.ts";
import type { KeyStore } from "./key-store.ts";

/** More would be engines nobody knows any more. */
export const MAX_ENGINES = 50;

const Stored = z.object({
  // Those of the engines that are there anyway: what is allowed on them is not allowed on an added one.
  id: ConnectionId.refine((id) => id !== EMBEDDED.id && id !== NAMED_BY_FLAG, "is the id of another engine"),
  name: EngineName,
  url: EngineAddress,
  added_at: z.string(),
  /** Sealed by the system's key store. */
  sealed_key: z.string().max(16_384).optional(),
  /** It has a key that no key store could keep: it has to be given again after a restart. */
  key_not_kept: z.boolean().optional(),
});
type Stored = z.infer<typeof Stored>;

const isDistinct = (by: (engine: Stored) => string) => (engines: readonly Stored[]) =>
  new Set(engines.map(by)).size === engines.length;

const EngineFile = z.object({
  version: z.literal(1),
  engines: z
    .array(Stored)
    .max(MAX_ENGINES)
    .refine(
      isDistinct((engine) => engine.id),
      "two engines have one id",
    )
    .refine(
      isDistinct((engine) => engine.url),
      "two engines have one address",
    )
    .refine(
      isDistinct((engine) => engine.name),
      "two engines have one name",
    ),
  /** The one that the next start opens; the embedded one when it is not there. */
  shown: ConnectionId.optional(),
});
type EngineFile = z.infer<typeof EngineFile>;

/** An engine that the person added. */
export type SavedEngine = Pick<Stored, "id" | "name" | "url"> & {
  readonly apiKey: string | undefined;
  readonly key: EngineInfo["key"];
};

/** Why an engine was not added or renamed, in a sentence. */
export class EngineRefused extends Error {
  override readonly name = "EngineRefused";
}

export interface EngineStore {
  /** Set when not all of the file could be understood: what was wrong, what that costs, where it is kept. */
  readonly problem: string | undefined;
  list(): SavedEngine[];
  find(id: string): SavedEngine | undefined;
  /** The one that the person went to last, if it is still there. */
  readonly shown: SavedEngine | undefined;
  /** Undefined is the embedded engine. */
  keepShown(id: string | undefined): void;
  /** @param others names that are taken by engines that are not kept here. @throws EngineRefused before anything is asked */
  assertFree(engine: { readonly name: string; readonly url?: string }, but?: string): void;
  /** @throws EngineRefused */
  add(engine: Omit<NewEngine, "person_may_write">): SavedEngine;
  /** False: there is none. @throws EngineRefused */
  rename(id: string, name: string): boolean;
  /** Puts another key in the place of its key, or none. False: there is none. */
  setKey(id: string, key: string | undefined): boolean;
  remove(id: string): boolean;
}

/**
 * The engines that the person added, with their keys: sealed where the system has a key store, else in memory until the
 * app ends. No key is ever in what `list` is turned into for a page.
 * @param taken names of the engines that are there anyway
 */
export function openEngineStore(
  path: string,
  keys: KeyStore,
  taken: readonly string[],
  now: () => Date = () => new Date(),
): EngineStore {
  const file = openProfileFile<EngineFile>(path, {
    schema: EngineFile,
    start: { version: 1, engines: [] },
    lost: {
      all: "the engines that were added are forgotten, and the embedded one is shown",
      some: "these are forgotten, the other engines are as they were",
    },
    now: now(),
  });
  /** Keys of this run, of engines whose key is opened or was given. */
  const inMemory = new Map<string, string>();

  function toSaved(stored: Stored): SavedEngine {
    const { id, name, url, sealed_key: sealed } = stored;
    let apiKey = inMemory.get(id);
    if (apiKey === undefined && sealed !== undefined) {
      apiKey = keys.open(sealed);
      if (apiKey !== undefined) inMemory.set(id, apiKey);
    }
    return { id, name, url, apiKey, key: keyState(stored, apiKey) };
  }
  const save = (change: Partial<EngineFile>) => file.save({ ...file.value, ...change });
  const change = (id: string, to: (engine: Stored) => Stored): boolean => {
    const at = file.value.engines.findIndex((engine) => engine.id === id);
    const before = file.value.engines[at];
    if (before === undefined) return false;
    save({ engines: file.value.engines.with(at, to(before)) });
    return true;
  };
  const find = (id: string | undefined) => {
    const stored = file.value.engines.find((engine) => engine.id === id);
    return stored === undefined ? undefined : toSaved(stored);
  };

  function assertFree({ name, url }: { readonly name: string; readonly url?: string }, but?: string): void {
    const others = file.value.engines.filter((engine) => engine.id !== but);
    const alike = [...taken, ...others.map((engine) => engine.name)].find((other) => lookAlike(other, name));
    if (alike === name) throw new EngineRefused(`There is an engine named "${name}" already.`);
    if (alike !== undefined)
      throw new EngineRefused(`"${name}" looks like "${alike}", which there is already: take another name.`);
    const same = url === undefined ? undefined : others.find((engine) => engine.url === url);
    if (same !== undefined) throw new EngineRefused(`"${same.name}" has this address already.`);
    if (but === undefined && others.length >= MAX_ENGINES)
      throw new EngineRefused(`There are ${MAX_ENGINES} engines already.`);
  }

  /** The key's place in the file. What could not be sealed is in memory only. */
  function sealedForm(key: string | undefined): Pick<Stored, "sealed_key" | "key_not_kept"> {
    if (key === undefined) return {};
    return keys.keeps ? { sealed_key: keys.seal(key) } : { key_not_kept: true };
  }

  return {
    problem: file.problem,
    list: () => file.value.engines.map(toSaved),
    find,
    get shown() {
      return find(file.value.shown);
    },
    keepShown(id) {
      const { shown: _, ...rest } = file.value;
      file.save(id === undefined ? rest : { ...rest, shown: id });
    },
    assertFree,
    add({ name, url, api_key: key }) {
      assertFree({ name, url });
      const stored: Stored = {
        id: newId(name, (id) => file.value.engines.some((engine) => engine.id === id)),
        name,
        url,
        added_at: now().toISOString(),
        ...sealedForm(key),
      };
      save({ engines: [...file.value.engines, stored] });
      if (key !== undefined) inMemory.set(stored.id, key);
      return toSaved(stored);
    },
    rename(id, name) {
      assertFree({ name }, id);
      return change(id, (engine) => ({ ...engine, name }));
    },
    setKey(id, key) {
      const changed = change(id, ({ name, url, added_at }) => ({
        id,
        name,
        url,
        added_at,
        ...sealedForm(key),
      }));
      if (!changed) return false;
      if (key === undefined) inMemory.delete(id);
      else inMemory.set(id, key);
      return true;
    },
    remove(id) {
      const engines = file.value.engines.filter((engine) => engine.id !== id);
      if (engines.length === file.value.engines.length) return false;
      const { shown, ...rest } = file.value;
      file.save({ ...rest, engines, ...(shown === undefined || shown === id ? {} : { shown }) });
      inMemory.delete(id);
      return true;
    },
  };
}

function keyState(stored: Stored, apiKey: string | undefined): EngineInfo["key"] {
  if (apiKey === undefined)
    return stored.sealed_key === undefined && stored.key_not_kept !== true ? "none" : "needed";
  return stored.sealed_key === undefined ? "this_run" : "kept";
}

/** Readable in addresses and in the audit, and never the one of an engine that was removed. */
function newId(name: string, isTaken: (id: string) => boolean): string {
  const words = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 22)
    .replaceAll(/-+$/g, "");
  for (;;) {
    const id = `${words === "" ? "engine" : words}-${randomBytes(3).toString("hex")}`;
    if (!isTaken(id)) return id;
  }
}
