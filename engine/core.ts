import type { AgentTools } from "./agent-tools/agent-tools.ts";
import type { Clock } from "./clock.ts";
import type { Breakers } from "./execute/breakers.ts";
import type { Dispatcher } from "./execute/dispatcher.ts";
import type { Hub, Notice } from "./execute/hub.ts";
import type { LogEmptier } from "./execute/log-emptier.ts";
import type { OutboxRelay } from "./outbox/relay.ts";
import type { Registry } from "./execute/registry.ts";
import type { Routings } from "./execute/routings.ts";
import type { TimerLoop } from "./execute/timer-loop.ts";
import type { Retention } from "./execute/retention.ts";
import type { Workers } from "./execute/workers.ts";
import type { KvWatchers } from "./kv/watchers.ts";
import type { GroupHub } from "./pubsub/group-hub.ts";
import type { Projections } from "./projections/projections.ts";
import type { Ids } from "./ids.ts";
import type { SqlPool } from "./sql/pool.ts";
import type { SecretsKeys } from "./secrets/keys.ts";
import type { Store } from "./store/store.ts";
import type { Writer } from "./store/writer.ts";

/** Where the engine says what it did: one JSON object a call. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Everything a transition needs. Built once by `createEngine`. */
export interface Core {
  clock: Clock;
  ids: Ids;
  log: Log;
  store: Store;
  writer: Writer;
  registry: Registry;
  breakers: Breakers;
  dispatcher: Dispatcher;
  timers: TimerLoop;
  hub: Hub;
  groups: GroupHub;
  /** Keeps a notice that a subscriber could not be given as a dead letter. */
  undelivered(notice: Notice, reason: string): void;
  kvWatchers: KvWatchers;
  secretsKeys: SecretsKeys;
  outboxRelay: OutboxRelay;
  routings: Routings;
  agentTools: AgentTools;
  workers: Workers;
  projections: Projections;
  retention: Retention;
  sql: SqlPool;
  logEmptier: LogEmptier;
  /** How long a pull worker may be silent about a job, ms. */
  leaseMs: number;
  /** The longest that a call of a push function may take, ms. */
  pushTimeoutMs: number;
}
