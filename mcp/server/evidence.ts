import { createHash } from "node:crypto";
import { closeSync, createReadStream, fstatSync, openSync, readSync, renameSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import * as z from "zod/v4";
import { systemClock, type Clock } from "../../loopback/clock.ts";
import type { Reloaded } from "../contract/tools/reload.ts";
import type { Engine } from "../engines/engine.ts";
import type { Call } from "../upstream/http.ts";
import { ToolFailure } from "../upstream/tool-failure.ts";
import { log } from "./log.ts";

export const RELOAD_LIMITS = {
  /** After this the wait gives up (seeds: "Reload barrier"). */
  waitMs: 15_000,
  lookMs: 250,
  /** What a look at the registry may cost a call that emits. */
  noteMs: 2_000,
  trailBytes: 16 * 1024 * 1024,
  rowsPerPage: 500,
  pages: 20,
} as const;

/** `function:ship-order` -> version. */
type Versions = ReadonlyMap<string, number>;
type Baseline = { readonly at: string; readonly what: string; readonly versions: Versions };

/** One line of the evidence file. A registry is written once, and again when it has changed; tests refer to it. */
const Line = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("registry"),
    digest: z.string(),
    engine: z.string(),
    versions: z.record(z.string(), z.number().int()),
  }),
  z.object({
    kind: z.literal("baseline"),
    at: z.string(),
    engine: z.string(),
    what: z.string(),
    digest: z.string(),
  }),
  z.object({ kind: z.literal("reload"), at: z.string(), engine: z.string(), reloaded: z.boolean() }),
]);
type Line = z.infer<typeof Line>;

/**
 * The trail of what was tested against which registered versions: one JSON line per test, in a file that outlives this
 * process, so that the reload barrier still knows after a restart which code the last test ran.
 */
export class Evidence {
  #file: number;
  readonly #engine: Engine;
  readonly #clock: Clock;
  #baseline: Baseline | undefined;
  #writtenDigest = "";

  private constructor(file: number, engine: Engine, clock: Clock) {
    this.#file = file;
    this.#engine = engine;
    this.#clock = clock;
  }

  /**
   * Opens the file, makes it when it is not there, and reads the last baseline of this engine from it. A trail over
   * `RELOAD_LIMITS.trailBytes` is put aside as `<path>.old`, and a new one goes on from the baseline.
   * @throws the file system's error when it cannot be opened for reading and appending
   */
  static async open(path: string, engine: Engine, clock: Clock = systemClock): Promise<Evidence> {
    const evidence = new Evidence(openSync(path, "a+", 0o600), engine, clock);
    try {
      await evidence.#readTrail(path);
      evidence.#endTornLine();
      if (fstatSync(evidence.#file).size > RELOAD_LIMITS.trailBytes) evidence.#startAnew(path);
    } catch (error) {
      evidence.close();
      throw error;
    }
    return evidence;
  }

  /** Where no trail says what was tested, the versions of now are the baseline, as far as the engine tells. Never rejects. */
  async noteStart(): Promise<void> {
    if (this.#baseline === undefined) await this.#note("the start of this tool server", {}, true);
  }

  close(): void {
    closeSync(this.#file);
  }

  /**
   * What is registered now counts as tested by `what`. Never rejects: the test itself has been done. It looks after the
   * test, so that code which came in between is waited for rather than taken for tested.
   */
  noteTest(what: string, { signal }: Pick<Call, "signal">): Promise<void> {
    return this.#note(what, { signal }, false);
  }

  async #note(what: string, { signal }: Pick<Call, "signal">, onlyFirst: boolean): Promise<void> {
    try {
      const versions = await readVersions(this.#engine, { signal, timeoutMs: RELOAD_LIMITS.noteMs });
      if (!onlyFirst || this.#baseline === undefined) this.#setBaseline(what, versions);
    } catch (error) {
      log(`the evidence of "${what}" is missing: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /**
   * Waits until something is registered anew since the baseline, `RELOAD_LIMITS.waitMs` at most.
   * @throws ToolFailure when the engine cannot be asked
   */
  async awaitReload(call: Call): Promise<Reloaded> {
    const startedMs = this.#clock.nowMs();
    for (;;) {
      const now = await look(() => readVersions(this.#engine, call));
      const waitedMs = this.#clock.nowMs() - startedMs;
      if (!(now instanceof ToolFailure)) {
        this.#baseline ??= this.#setBaseline("this call, for want of an earlier one", now);
        const changed = changesSince(this.#baseline.versions, now);
        if (changed.length > 0 || waitedMs >= RELOAD_LIMITS.waitMs)
          return this.#reloaded(this.#baseline, changed, waitedMs);
      } else if (!now.retryable || waitedMs >= RELOAD_LIMITS.waitMs) throw now;
      await this.#clock.sleep(Math.min(RELOAD_LIMITS.lookMs, RELOAD_LIMITS.waitMs), call.signal);
    }
  }

  #reloaded({ at, what }: Baseline, changed: Reloaded["changed"], waitedMs: number): Reloaded {
    const reloaded = changed.length > 0;
    this.#write({ kind: "reload", at: new Date().toISOString(), engine: this.#engine.url, reloaded });
    return { reloaded, changed, baseline: { at, what }, waited_ms: Math.round(waitedMs) };
  }

  /** A process that was killed while it wrote leaves half a line, which must not swallow the next one. */
  #endTornLine(): void {
    const { size } = fstatSync(this.#file);
    const last = Buffer.alloc(1);
    if (size > 0 && readSync(this.#file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a)
      writeSync(this.#file, "\n");
  }

  #startAnew(path: string): void {
    closeSync(this.#file);
    renameSync(path, `${path}.old`);
    this.#file = openSync(path, "a+", 0o600);
    this.#writtenDigest = "";
    if (this.#baseline !== undefined)
      this.#setBaseline(this.#baseline.what, this.#baseline.versions, this.#baseline.at);
  }

  #setBaseline(what: string, versions: Versions, at = new Date().toISOString()): Baseline {
    const engine = this.#engine.url;
    const digest = digestOf(versions);
    if (digest !== this.#writtenDigest)
      this.#write({ kind: "registry", digest, engine, versions: Object.fromEntries(versions) });
    this.#writtenDigest = digest;
    this.#write({ kind: "baseline", at, engine, what, digest });
    this.#baseline = { at, what, versions };
    return this.#baseline;
  }

  #write(line: Line): void {
    try {
      writeSync(this.#file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      log(`the evidence file cannot be written: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** A line that is torn or of another make is passed over. */
  async #readTrail(path: string): Promise<void> {
    const registry = { digest: "", versions: new Map<string, number>() as Versions };
    for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      const line = Line.safeParse(parsed(text)).data;
      if (line === undefined || line.engine !== this.#engine.url) continue;
      if (line.kind === "registry") {
        registry.digest = line.digest;
        registry.versions = new Map(Object.entries(line.versions));
        this.#writtenDigest = line.digest;
      } else if (line.kind === "baseline" && line.digest === registry.digest) {
        this.#baseline = { at: line.at, what: line.what, versions: registry.versions };
      }
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The schema refuses it, like any line that is not ours.
  }
}

async function look(read: () => Promise<Versions>): Promise<Versions | ToolFailure> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ToolFailure) return error;
    throw error;
  }
}

async function readVersions(engine: Engine, call: Call): Promise<Versions> {
  const versions = new Map<string, number>();
  const { rowsPerPage: limit, pages } = RELOAD_LIMITS;
  for (let page = 0; page < pages; page += 1) {
    const { functions } = await engine.listFunctions({ limit, offset: page * limit }, call);
    for (const { id, version } of functions) versions.set(`function:${id}`, version);
    if (functions.length < limit) break;
  }
  for (let page = 0; page < pages; page += 1) {
    const projections = await projectionPage(engine, { limit, offset: page * limit }, call);
    for (const { name, version } of projections) versions.set(`projection:${name}`, version ?? 0);
    if (projections.length < limit) break;
  }
  return versions;
}

/** An engine without projections has none to reload. */
async function projectionPage(engine: Engine, page: { limit: number; offset: number }, call: Call) {
  try {
    return (await engine.listProjections(page, call)).projections;
  } catch (error) {
    if (error instanceof ToolFailure && error.code === "unimplemented") return [];
    throw error;
  }
}

/** What is new or has a higher version. What is gone is no newer code. */
function changesSince(before: Versions, now: Versions): Reloaded["changed"] {
  return [...now].flatMap(([key, to_version]) => {
    const from_version = before.get(key) ?? null;
    if (from_version !== null && to_version <= from_version) return [];
    const at = key.indexOf(":");
    const kind = key.slice(0, at) === "function" ? ("function" as const) : ("projection" as const);
    return [{ kind, id: key.slice(at + 1), from_version, to_version }];
  });
}

function digestOf(versions: Versions): string {
  const text = [...versions]
    .map(([key, version]) => `${key} ${version}`)
    .sort()
    .join("\n");
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
