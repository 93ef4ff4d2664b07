import { createHash } from "node:crypto";
import type { LiveTopic } from "../contract/live.ts";
import type { Engine } from "../engines/engine.ts";
import type { Call } from "../upstream/http.ts";
import { ToolFailure } from "../upstream/tool-failure.ts";

/** What a topic looks like now: two equal texts mean that nothing changed, as far as a first page can tell. */
type Look = (engine: Engine, call: Call) => Promise<unknown>;

const FIRST_PAGE = 20;

const LOOKS: Readonly<Record<LiveTopic, Look>> = {
  runs: async (engine, call) => {
    const { runs, total_count } = await engine.listRuns({ limit: FIRST_PAGE, offset: 0 }, call);
    return [
      total_count,
      runs.map(({ id, status, attempt, updated_at }) => [id, status, attempt, updated_at]),
    ];
  },
  events: async (engine, call) => {
    const { events, approx_total } = await engine.listEvents({ limit: 1 }, call);
    return [approx_total, events[0]?.id];
  },
  functions: async (engine, call) => {
    const { functions, total_count } = await engine.listFunctions({ limit: 100, offset: 0 }, call);
    return [total_count, functions.map(({ id, status, version }) => [id, status, version])];
  },
  breakers: async (engine, call) => (await engine.listBreakers(call)).items,
  dead_letters: async (engine, call) => {
    const { items } = await engine.listEnvironments({}, call);
    const pages = items.map(({ id }) => firstDeadLetters(engine, id, call));
    return Promise.all(pages);
  },
};

/** A key speaks for one environment only; the others' dead letters are none of its business. */
async function firstDeadLetters(engine: Engine, env: string, call: Call): Promise<unknown> {
  try {
    const { items, total } = await engine.listDeadLetters({ env, limit: 1, offset: 0 }, call);
    return [env, total, items[0]?.id];
  } catch (error) {
    if (error instanceof ToolFailure && error.code === "permission_denied") return [env];
    throw error;
  }
}

const LOCKED_OUT: ReadonlySet<string> = new Set(["unauthenticated", "permission_denied", "canceled"]);

/** Looks at topics again and again and says which changed. */
export class Poller {
  readonly #engine: Engine;
  readonly #seen = new Map<LiveTopic, string>();
  readonly #unserved = new Set<LiveTopic>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * The topics among `topics` that look different from last time; the first look at a topic is only remembered. A topic
   * that the engine does not serve, or not so that it can be read, is not asked for again.
   * @throws ToolFailure when the engine cannot be asked
   */
  async look(topics: Iterable<LiveTopic>, call: Call): Promise<LiveTopic[]> {
    const changed: LiveTopic[] = [];
    for (const topic of topics) {
      if (this.#unserved.has(topic)) continue;
      const now = await this.#fingerprint(topic, call);
      const before = this.#seen.get(topic);
      if (now === undefined) this.#unserved.add(topic);
      else this.#seen.set(topic, now);
      if (before !== undefined && now !== undefined && before !== now) changed.push(topic);
    }
    return changed;
  }

  async #fingerprint(topic: LiveTopic, call: Call): Promise<string | undefined> {
    try {
      const look = await LOOKS[topic](this.#engine, call);
      return createHash("sha256").update(JSON.stringify(look)).digest("base64");
    } catch (error) {
      // An engine that is away or locks us out is the watch's business; one that cannot answer this is left in peace.
      if (error instanceof ToolFailure && !error.retryable && !LOCKED_OUT.has(error.code)) return undefined;
      throw error;
    }
  }
}
