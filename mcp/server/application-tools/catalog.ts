import { systemClock, type Clock } from "../../../loopback/clock.ts";
import type { ApplicationTool, Engine } from "../../engines/engine.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import { log } from "../log.ts";
import { SchemaError } from "../../json-schema/schema.ts";
import { readDeclaration, type Declaration } from "./declaration.ts";
import { publishedNames } from "./names.ts";

export const CATALOG_TIMES = {
  /** How often the engine is asked for changes. */
  pollMs: 10_000,
  /** As long as the engine serves no application tools, or cannot be asked. */
  idlePollMs: 60_000,
  /** A list or a lookup asks again at most this often. */
  freshMs: 1_000,
  /** What one look may take. */
  lookMs: 2_000,
} as const;

/** A declared tool with the name under which it is published. */
export type PublishedTool = Declaration & { readonly published: string };

/**
 * The tools that applications registered with the engine, as of the last time that it could be asked. They are read again
 * and again, and whoever listens hears of each change: a tool that an application registers later is there without a
 * restart.
 */
export class ApplicationTools {
  readonly #engine: Pick<Engine, "listApplicationTools">;
  readonly #clock: Clock;
  readonly #times: Record<keyof typeof CATALOG_TIMES, number>;
  readonly #listeners = new Set<() => void>();
  readonly #closed = new AbortController();
  #tools: ReadonlyMap<string, PublishedTool> = new Map();
  #fingerprint = "";
  #lastLookMs = -Infinity;
  #look: Promise<void> | undefined;
  #polling: Promise<void> | undefined;
  #idle = true;
  /** What was said last, so that the same problem is not said every ten seconds. */
  #said = "";

  constructor(
    engine: Pick<Engine, "listApplicationTools">,
    clock: Clock = systemClock,
    times: Partial<Record<keyof typeof CATALOG_TIMES, number>> = {},
  ) {
    this.#engine = engine;
    this.#clock = clock;
    this.#times = { ...CATALOG_TIMES, ...times };
  }

  /** Begins to look for changes. */
  start(): void {
    this.#polling ??= this.#poll();
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#listeners.clear();
    await this.#polling;
  }

  /** @returns takes the listener away again */
  onChanged(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Every tool, in the order of their names. Asks the engine when it has not been asked just now. Never rejects. */
  async list(): Promise<readonly PublishedTool[]> {
    await this.#refresh();
    return [...this.#tools.values()];
  }

  /** A known tool at once; an unknown one after another look. Takes the published and the declared name. */
  async find(name: string): Promise<PublishedTool | undefined> {
    const known = this.#get(name);
    if (known !== undefined) return known;
    await this.#refresh();
    return this.#get(name);
  }

  #get(name: string): PublishedTool | undefined {
    return this.#tools.get(name) ?? [...this.#tools.values()].find((tool) => tool.name === name);
  }

  /** One look at a time, and at most one in `freshMs`; a failed one keeps what is known. */
  async #refresh(): Promise<void> {
    if (this.#look !== undefined) return this.#look;
    if (this.#clock.nowMs() - this.#lastLookMs < this.#times.freshMs) return;
    this.#lastLookMs = this.#clock.nowMs();
    this.#look = this.#lookNow().finally(() => (this.#look = undefined));
    await this.#look;
  }

  async #poll(): Promise<void> {
    while (!this.#closed.signal.aborted) {
      await this.#refresh();
      await this.#clock.sleep(this.#idle ? this.#times.idlePollMs : this.#times.pollMs, this.#closed.signal);
    }
  }

  async #lookNow(): Promise<void> {
    try {
      const signal = this.#closed.signal;
      this.#take(await this.#engine.listApplicationTools({ signal, timeoutMs: this.#times.lookMs }));
      this.#idle = false;
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      // An engine of an older version has no such tools, and that is no problem.
      this.#idle = error.code === "unimplemented";
      if (this.#idle) this.#take([]);
      else if (error.code !== "canceled")
        this.#say(`warning: application tools could not be read, the known ones stay: ${error.message}`);
    }
  }

  #take(declared: readonly ApplicationTool[]): void {
    const fingerprint = JSON.stringify(declared);
    if (fingerprint === this.#fingerprint) return;
    const before = this.#tools;
    this.#tools = publishedTools(declared, (text) => this.#say(text));
    this.#fingerprint = fingerprint;
    const added = [...this.#tools.keys()].filter((name) => !before.has(name));
    const removed = [...before.keys()].filter((name) => !this.#tools.has(name));
    if (added.length + removed.length > 0)
      log(`application tools: added=[${added.join(",")}] removed=[${removed.join(",")}]`);
    for (const listener of this.#listeners) listener();
  }

  #say(text: string): void {
    if (text !== this.#said) log(text);
    this.#said = text;
  }
}

/** The good ones by their published name; each bad one is named with its reason and leaves the others alone. The first of two equal names stays. */
export function publishedTools(
  declared: readonly ApplicationTool[],
  say: (text: string) => void,
): ReadonlyMap<string, PublishedTool> {
  const good = new Map<string, Declaration>();
  for (const tool of declared) {
    const name = JSON.stringify(tool.name.slice(0, 128));
    if (good.has(tool.name)) {
      say(`warning: application tool ${name} is declared twice; the first one is served`);
      continue;
    }
    try {
      good.set(tool.name, readDeclaration(tool));
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      say(`warning: application tool ${name} is not served: ${error.message}`);
    }
  }
  const names = publishedNames([...good.keys()]);
  const tools = [...good.values()].map((tool) => ({ ...tool, published: names.get(tool.name) ?? tool.name }));
  return new Map(
    tools.sort((a, b) => (a.published < b.published ? -1 : 1)).map((tool) => [tool.published, tool]),
  );
}
