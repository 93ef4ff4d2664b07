import { AGENT_TOOL_DEFAULTS, createAgentTools, type AgentToolsOptions } from "./agent-tools/agent-tools.ts";
import { systemClock, type Clock } from "./clock.ts";
import { FUNCTION_DEFAULTS } from "./contract/functions.ts";
import type { Core, Log } from "./core.ts";
import { followClock } from "./execute/clock-jump.ts";
import { createBreakers } from "./execute/breakers.ts";
import { storeUndelivered } from "./execute/dead-letters.ts";
import { createDispatcher, DISPATCH_LIMITS, type DispatchLimits } from "./execute/dispatcher.ts";
import { createHub } from "./execute/hub.ts";
import { DEFAULT_LEASE_MS } from "./execute/leases.ts";
import { createLogEmptier } from "./execute/log-emptier.ts";
import { createPushClient, type PushClient } from "./execute/push.ts";
import { createRegistry } from "./execute/registry.ts";
import { createRoutings } from "./execute/routings.ts";
import { createTimerLoop } from "./execute/timer-loop.ts";
import { createRetention, type RetentionRules } from "./execute/retention.ts";
import { createWorkers } from "./execute/workers.ts";
import { createIds } from "./ids.ts";
import { createGroupHub } from "./pubsub/group-hub.ts";
import { createProjections } from "./projections/projections.ts";
import { createKvWatchers } from "./kv/watchers.ts";
import { createSqlPool } from "./sql/pool.ts";
import type { SecretsKeys } from "./secrets/keys.ts";
import { rewrapSealed } from "./secrets/rewrap.ts";
import { createOutboxRelay } from "./outbox/relay.ts";
import { openDatabase } from "./store/database.ts";
import { createStore } from "./store/store.ts";
import { createWriter } from "./store/writer.ts";
import { resumePurges } from "./streams/delete.ts";

export interface EngineOptions {
  /** The database file; `:memory:` for tests. */
  file: string;
  log: Log;
  /** Signs what is sent to push functions. */
  signingKey?: string | undefined;
  /** What secrets are stored under. */
  secretsKeys: SecretsKeys;
  agentTools?: AgentToolsOptions;
  clock?: Clock;
  push?: PushClient;
  limits?: DispatchLimits;
  /** How long a pull worker may be silent about a job before another one gets it, ms. */
  leaseMs?: number | undefined;
  /** The longest that a call of a push function may take, ms. */
  pushTimeoutMs?: number | undefined;
  retention?: RetentionRules | undefined;
  /** The bundled entry of `sql/`, which runs queries; without it there is no SQL. */
  sqlEntry?: string | undefined;
}

/** The engine without its HTTP door. */
export interface Engine {
  core: Core;
  /** Takes up what was under way when the engine last stopped, however it stopped. */
  start(): Promise<void>;
  /** Begins nothing new, gives calls under way `graceMs`, stores what there is, checkpoints and closes the file. */
  stop(graceMs: number): Promise<void>;
}

export function createEngine(options: EngineOptions): Engine {
  const clock = options.clock ?? systemClock;
  const { log } = options;
  const db = openDatabase(options.file);
  const store = createStore(db);
  // The parts know each other only through `core`, which is whole before any of them does something.
  const getCore = () => core;
  const core: Core = {
    clock,
    log,
    store,
    ids: createIds(clock),
    writer: createWriter(
      db,
      clock,
      (error) => {
        log.error({ err: error }, "a task after a commit failed");
      },
      (tx, byMs) => followClock(core, tx, byMs),
    ),
    registry: createRegistry(store),
    breakers: createBreakers(getCore, store.breakers.all()),
    dispatcher: createDispatcher(
      getCore,
      options.push ?? createPushClient(options.signingKey),
      options.limits ?? DISPATCH_LIMITS,
    ),
    timers: createTimerLoop(getCore),
    hub: createHub(),
    groups: createGroupHub(getCore),
    undelivered: (notice, reason) => storeUndelivered(core, notice, reason),
    kvWatchers: createKvWatchers(),
    secretsKeys: options.secretsKeys,
    outboxRelay: createOutboxRelay(getCore),
    routings: createRoutings(getCore),
    agentTools: createAgentTools(getCore, options.agentTools ?? AGENT_TOOL_DEFAULTS),
    workers: createWorkers(getCore),
    projections: createProjections(getCore),
    retention: createRetention(getCore, options.retention ?? {}),
    sql: createSqlPool({ entry: options.sqlEntry, database: options.file, clock, log }),
    logEmptier: createLogEmptier(getCore),
    leaseMs: options.leaseMs ?? DEFAULT_LEASE_MS,
    pushTimeoutMs: options.pushTimeoutMs ?? FUNCTION_DEFAULTS.pushTimeoutMs,
  };
  let stopped: Promise<void> | undefined;

  async function stop(graceMs: number): Promise<void> {
    core.timers.stop();
    core.breakers.stop();
    core.retention.stop();
    core.logEmptier.stop();
    await Promise.all([
      // The relay waits for what is being routed.
      core.routings.stop(),
      core.outboxRelay.stop(),
      core.dispatcher.stop(graceMs),
      core.sql.close(),
    ]);
    await core.projections.stop();
    await core.writer.close();
    db.close();
  }

  return {
    core,
    start: async () => {
      const interrupted = await core.writer.write((tx) => {
        // Time only passes while the engine is stopped: a clock that shows less than when it stopped was set back.
        const lastMs = store.audit.lastAt() ?? 0;
        if (tx.nowMs < lastMs) followClock(core, tx, tx.nowMs - lastMs);
        return store.runs.requeueInterrupted(tx.nowMs);
      });
      if (interrupted > 0) log.info({ runs: interrupted }, "runs that were under way begin again");
      const lost = await core.writer.write((tx) => rewrapSealed(core, tx));
      if (lost > 0)
        log.warn(
          { secrets: lost },
          "what this engine's key cannot open has to be set again: secrets, registrations of agents' tools, secrets of webhooks",
        );
      await core.groups.start();
      core.breakers.start();
      core.routings.start();
      core.outboxRelay.start();
      core.timers.start();
      core.dispatcher.start();
      core.retention.start();
      core.projections.start();
      resumePurges(core);
    },
    stop: (graceMs) => (stopped ??= stop(graceMs)),
  };
}
