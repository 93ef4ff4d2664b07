import { systemClock, type Clock } from "../../loopback/clock.ts";
import { LiveTopic, type EngineConnection } from "../contract/live.ts";
import type { Engine } from "../engines/engine.ts";
import { ToolFailure } from "../upstream/tool-failure.ts";
import { Poller } from "./poll.ts";
import { listenToSocket, type SocketEnd } from "./socket.ts";

export const WATCH_TIMES = {
  /** Between two tries to reach the engine: doubles from the first to the last. */
  firstRetryMs: 1_000,
  lastRetryMs: 30_000,
  pollMs: 1_500,
  /** How long an engine without a WebSocket is polled before it is asked for one again. */
  pollForMs: 60_000,
  callMs: 5_000,
} as const;

/** Topics that change seldom are looked at in every so many rounds. */
const SELDOM: readonly LiveTopic[] = ["functions", "breakers", "dead_letters"];
const SELDOM_ROUNDS = 4;

export type WatchOptions = {
  readonly engine: Engine;
  readonly apiKey: string | undefined;
  /** Something of this topic changed, or may have while nobody was listening. */
  readonly onChanged: (topic: LiveTopic) => void;
  readonly onConnection: (connection: EngineConnection) => void;
  readonly clock?: Clock;
  readonly times?: Partial<Record<keyof typeof WATCH_TIMES, number>>;
};

/**
 * Follows one engine for as long as it lives: is it there, does it let us in, and what changes in it. Changes are heard of
 * over its WebSocket; where there is none, or not for a topic, by polling.
 */
export class EngineWatch {
  readonly #options: WatchOptions;
  readonly #clock: Clock;
  readonly #times: Record<keyof typeof WATCH_TIMES, number>;
  readonly #closed = new AbortController();
  #connection: EngineConnection;
  #running: Promise<void> | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#times = { ...WATCH_TIMES, ...options.times };
    this.#connection = { state: "connecting", live: "none", url: options.engine.url, since: now() };
  }

  get connection(): EngineConnection {
    return this.#connection;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Resolves when nothing of it is under way any more. */
  async close(): Promise<void> {
    this.#closed.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#isClosed) {
      const version = await this.#probe();
      if (version === undefined) failures += 1;
      else failures = (await this.#follow(version)) ? 0 : failures + 1;
      if (failures > 0) await this.#sleep(this.#backoffMs(failures));
    }
  }

  /** The engine's version when it answers and lets us in, else undefined and the state says why. */
  async #probe(): Promise<string | undefined> {
    try {
      const info = await this.#options.engine.serverInfo(this.#call());
      if (info.authorized !== false) return info.version;
      this.#become({
        state: "unauthorized",
        live: "none",
        version: info.version,
        error:
          this.#options.apiKey === undefined
            ? "the engine wants an API key, and none is set"
            : "the engine refuses the API key",
      });
    } catch (error) {
      if (this.#isClosed) return undefined;
      const code = error instanceof ToolFailure ? error.code : "internal";
      const state =
        code === "unauthenticated" || code === "permission_denied" ? "unauthorized" : "unreachable";
      this.#become({ state, live: "none", error: error instanceof Error ? error.message : String(error) });
    }
    return undefined;
  }

  /** Follows a reachable engine until that ends. False when not even the beginning worked. */
  async #follow(version: string): Promise<boolean> {
    const end = await this.#listen(version);
    if (this.#isClosed) return true;
    if (end.kind === "lost" && end.wasOpen) return this.#sleep(this.#times.firstRetryMs);
    // The engine answers, but not as a WebSocket: it has none, or something in between does not let one through.
    this.#become({ state: "connected", live: "polling", version });
    this.#allChanged();
    const until = new AbortController();
    const timer = setTimeout(() => until.abort(), this.#times.pollForMs);
    try {
      return await this.#poll(LiveTopic.options, until.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  async #listen(version: string): Promise<SocketEnd> {
    const over = new AbortController();
    const end = await listenToSocket({
      url: this.#options.engine.url,
      apiKey: this.#options.apiKey,
      signal: this.#closed.signal,
      onTopic: (topic) => this.#options.onChanged(topic),
      onSubscribed: (served) => {
        this.#become({ state: "connected", live: "websocket", version });
        this.#allChanged();
        const silent = LiveTopic.options.filter((topic) => !served.has(topic));
        if (silent.length > 0) void this.#poll(silent, over.signal);
      },
    });
    over.abort();
    return end;
  }

  /** Polls until `until` aborts or the engine fails twice in a row. False when the very first look failed. */
  async #poll(topics: readonly LiveTopic[], until: AbortSignal): Promise<boolean> {
    const poller = new Poller(this.#options.engine);
    const over = AbortSignal.any([until, this.#closed.signal]);
    let failures = 0;
    for (let round = 0; !over.aborted && failures < 2; round += 1) {
      const due = topics.filter((topic) => round % SELDOM_ROUNDS === 0 || !SELDOM.includes(topic));
      try {
        for (const topic of await poller.look(due, this.#call())) this.#options.onChanged(topic);
        failures = 0;
      } catch {
        // Why it failed is for the probe to find out and to say.
        if (round === 0) return false;
        failures += 1;
      }
      await this.#clock.sleep(this.#times.pollMs, over);
    }
    return true;
  }

  #allChanged(): void {
    for (const topic of LiveTopic.options) this.#options.onChanged(topic);
  }

  #become(next: Pick<EngineConnection, "state" | "live"> & Partial<EngineConnection>): void {
    if (this.#isClosed) return;
    const before = this.#connection;
    const isSame = (["state", "live", "version", "error"] as const).every((key) => before[key] === next[key]);
    if (isSame) return;
    const since = before.state === next.state && before.live === next.live ? before.since : now();
    this.#connection = { url: this.#options.engine.url, ...next, since };
    this.#options.onConnection(this.#connection);
  }

  #backoffMs(failures: number): number {
    const full = Math.min(this.#times.firstRetryMs * 2 ** (failures - 1), this.#times.lastRetryMs);
    return full * (0.5 + Math.random() / 2);
  }

  async #sleep(ms: number): Promise<true> {
    await this.#clock.sleep(ms, this.#closed.signal);
    return true;
  }

  #call() {
    return { signal: this.#closed.signal, timeoutMs: this.#times.callMs };
  }

  get #isClosed(): boolean {
    return this.#closed.signal.aborted;
  }
}

const now = (): string => new Date().toISOString();
