import { LOOPBACK_HOSTS } from "../../loopback/loopback-hosts.ts";
import type { Consent } from "../consent/consent.ts";
import type { Remembered } from "../consent/remembered.ts";
import type { EngineTest } from "../contract/engines.ts";
import type { Handlers } from "../contract/ipc.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { EngineRefused, type EngineStore } from "../engines/engine-store.ts";
import type { Engines } from "../engines/engines.ts";
import type { KeyStore } from "../engines/key-store.ts";
import type { Audit } from "../mcp-endpoint/audit.ts";
import { auditUser, USER } from "../mcp-endpoint/permissions.ts";
import type { SettingsStore } from "../settings.ts";
import { writesKey } from "./writes.ts";

export interface EngineHandlerParts {
  readonly engines: Engines;
  readonly store: EngineStore;
  readonly keys: Pick<KeyStore, "keeps">;
  readonly settings: SettingsStore;
  readonly consent: Pick<Consent, "askRights">;
  readonly remembered: Pick<Remembered, "forgetEngine">;
  readonly audit: Pick<Audit, "write">;
  /** Asks an engine for itself. Never rejects. */
  readonly test: (
    engine: { readonly url: string; readonly apiKey: string | undefined },
    signal: AbortSignal,
  ) => Promise<EngineTest>;
  readonly ending: AbortSignal;
}

type Rows =
  | "engines:list"
  | "engines:key-store"
  | "engines:add"
  | "engines:switch"
  | "engines:rename"
  | "engines:set-key"
  | "engines:remove"
  | "engines:test";

/** Tests that run at once: each is a process. */
const MAX_TESTS = 3;

/** The engines that the window can show. A new address asks the person first; an engine that was added does not. */
export function engineHandlers(parts: EngineHandlerParts): Pick<Handlers, Rows> {
  const { engines, store, settings } = parts;
  let tests = 0;
  const record = (event: string, connection: string) =>
    void parts.audit.write({ event, user: auditUser(USER), detail: { connection } }); // never rejects

  async function askToAdd(engine: {
    name: string;
    url: string;
    api_key?: string | undefined;
    person_may_write: boolean;
  }) {
    const { protocol, hostname } = new URL(engine.url);
    const isPlain = protocol === "http:" && !LOOPBACK_HOSTS.has(hostname);
    // An address may have been shown before, by a flag of a start.
    const kept = settings.stored.writes?.[keyOfRights(engine.url)];
    const mayWrite = engine.person_may_write || kept?.person === true;
    const agentsMayWrite = kept?.agents === true;
    return parts.consent.askRights({
      title: "Add an engine",
      consequence:
        engine.api_key === undefined
          ? "From now on the app may connect to this address."
          : "From now on the app may connect to this address and send it the key that you gave.",
      details: [
        { label: "Name", text: engine.name },
        { label: "Address", text: engine.url },
        { label: "API key", text: keyWords(engine.api_key, parts.keys) },
        { label: "You may change things", text: mayWrite ? "yes" : "no, it is read-only" },
        { label: "Agents may change things", text: agentsMayWrite ? "yes" : "no" },
      ],
      effects: [
        ...(isPlain ? ["The address is plain http: the key and all data travel unprotected."] : []),
        ...(mayWrite ? ["You may change things on it in the app."] : []),
        ...(agentsMayWrite
          ? ["Agents whose token may write may change things on it: you allowed it before."]
          : []),
      ],
      signal: parts.ending,
    });
  }

  /** What was allowed on an engine goes before the engine: whoever adds the address again begins with nothing. */
  function forgetRights(url: string): void {
    const key = keyOfRights(url);
    const { [key]: _, ...writes } = settings.stored.writes ?? {};
    settings.change({ writes });
    parts.remembered.forgetEngine(key);
  }

  return {
    "engines:list": async () => engines.list(),
    "engines:key-store": async () => ({ keeps: parts.keys.keeps }),
    async "engines:add"(engine) {
      try {
        store.assertFree(engine);
        const answer = await askToAdd(engine);
        if (!answer.approved) return { ok: false, error: answer.error };
        const added = store.add(engine);
        if (engine.person_may_write) {
          const kept = settings.stored.writes ?? {};
          const key = keyOfRights(added.url);
          settings.change({ writes: { ...kept, [key]: { ...kept[key], person: true } } });
        }
        record("engine.added", added.id);
        engines.changed();
        return { ok: true, id: added.id };
      } catch (cause) {
        return refused(cause);
      }
    },
    async "engines:switch"({ id }) {
      if (!engines.switchTo(id)) return { ok: false, error: noEngine(id) };
      record("engine.shown", id);
      return { ok: true, id };
    },
    async "engines:rename"({ id, name }) {
      try {
        if (!store.rename(id, name)) return { ok: false, error: noEngine(id) };
      } catch (cause) {
        return refused(cause);
      }
      if (engines.active.id === id) engines.active.rename(name);
      record("engine.renamed", id);
      engines.changed();
      return { ok: true, id };
    },
    async "engines:set-key"({ id, api_key: key }) {
      if (!engines.setKey(id, key ?? undefined)) return { ok: false, error: noEngine(id) };
      record("engine.key_changed", id);
      engines.changed();
      return { ok: true, id };
    },
    async "engines:remove"({ id }) {
      if (engines.active.id === id) return { ok: false, error: IS_SHOWN };
      const engine = store.find(id);
      if (engine === undefined) return { ok: false, error: noEngine(id) };
      forgetRights(engine.url);
      store.remove(id);
      record("engine.removed", id);
      engines.changed();
      return { ok: true, id };
    },
    async "engines:test"({ id }) {
      const engine = engines.find(id);
      if (engine?.url === undefined) return { ok: false, error: noEngine(id) };
      if (tests >= MAX_TESTS) return { ok: false, error: TESTS_RUN };
      tests += 1;
      try {
        return { ok: true, test: await parts.test({ url: engine.url, apiKey: engine.apiKey }, parts.ending) };
      } finally {
        tests -= 1;
      }
    },
  };
}

const keyOfRights = (url: string): string => writesKey({ kind: "remote", url });

function keyWords(key: string | undefined, keys: Pick<KeyStore, "keeps">): string {
  if (key === undefined) return "none";
  return keys.keeps
    ? "kept by the system's key store"
    : "kept until the app ends: the system has no key store";
}

function refused(cause: unknown): { ok: false; error: ToolError } {
  if (!(cause instanceof EngineRefused)) throw cause;
  return { ok: false, error: { error: cause.message, code: "already_exists", retryable: false } };
}

const noEngine = (id: string): ToolError => ({
  error: `There is no engine ${id} that this can be done with.`,
  code: "not_found",
  retryable: false,
});

const IS_SHOWN: ToolError = {
  error: "The engine that is shown cannot be removed: go to another one first.",
  code: "failed_precondition",
  retryable: false,
};

const TESTS_RUN: ToolError = {
  error: `${MAX_TESTS} engines are being tested already.`,
  code: "resource_exhausted",
  retryable: true,
};
