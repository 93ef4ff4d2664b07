import { createAgentToolTable, type AgentToolTable } from "./agent-tools.ts";
import { createAgeTable, type AgeTable } from "./age.ts";
import { createAttemptErrorTable, type AttemptErrorTable } from "./attempt-errors.ts";
import { createAuditTable, type AuditTable } from "./audit.ts";
import { createGroupTable, type GroupTable } from "./consumer-groups.ts";
import { createDeliveryTable, type DeliveryTable } from "./group-deliveries.ts";
import { createBreakerTable, type BreakerTable } from "./breakers.ts";
import type { Database } from "./database.ts";
import { createDeadLetterTable, type DeadLetterTable } from "./dead-letters.ts";
import { createDebounceTable, type DebounceTable } from "./debounces.ts";
import { createEnvironmentTable, type EnvironmentTable } from "./environments.ts";
import { createEventTable, type EventTable } from "./events.ts";
import { createFlowTable, type FlowTable } from "./flow.ts";
import { createFunctionTable, type FunctionTable } from "./functions.ts";
import { createIdempotencyTable, type IdempotencyTable } from "./idempotency.ts";
import { createKvTable, type KvTable } from "./kv.ts";
import { createListenerTable, type ListenerTable } from "./listeners.ts";
import { createEventScanner, type EventScanner } from "./event-scan.ts";
import { createProjectionTable, type ProjectionTable } from "./projections.ts";
import { createStateTable, type StateTable } from "./projection-states.ts";
import { createRebuildTable, type RebuildTable } from "./rebuild-jobs.ts";
import { createOutboxTable, type OutboxTable } from "./outbox.ts";
import { createRoutingSliceTable, type RoutingSliceTable } from "./routing-slices.ts";
import { createRunTable, type RunTable } from "./runs.ts";
import { createScheduleTable, type ScheduleTable } from "./schedules.ts";
import { createSnapshotTable, type SnapshotTable } from "./snapshots.ts";
import { createSealedValues, type SealedValues } from "./sealed.ts";
import { createSecretTable, type SecretTable } from "./secrets.ts";
import { createStepTable, type StepTable } from "./steps.ts";
import { createStreamTable, type StreamTable } from "./streams.ts";
import { createTopicTable, type TopicTable } from "./topics.ts";
import { createTotals, type Totals } from "./totals.ts";
import { createTimerTable, type TimerTable } from "./timers.ts";
import { createWebhookTable, type WebhookTable } from "./webhooks.ts";

/** Every table of the engine. Reads may happen any time; writes only inside a change handed to the writer. */
export interface Store {
  db: Database;
  environments: EnvironmentTable;
  functions: FunctionTable;
  events: EventTable;
  idempotency: IdempotencyTable;
  runs: RunTable;
  steps: StepTable;
  attemptErrors: AttemptErrorTable;
  timers: TimerTable;
  listeners: ListenerTable;
  breakers: BreakerTable;
  deadLetters: DeadLetterTable;
  debounces: DebounceTable;
  schedules: ScheduleTable;
  audit: AuditTable;
  kv: KvTable;
  secrets: SecretTable;
  sealed: SealedValues;
  outbox: OutboxTable;
  routingSlices: RoutingSliceTable;
  agentTools: AgentToolTable;
  age: AgeTable;
  flow: FlowTable;
  topics: TopicTable;
  groups: GroupTable;
  groupDeliveries: DeliveryTable;
  webhooks: WebhookTable;
  totals: Totals;
  /** Writes a row as it is: a change that has to reach the disk and changes nothing. */
  touch(): void;
  streams: StreamTable;
  snapshots: SnapshotTable;
  eventScanner: EventScanner;
  projections: ProjectionTable;
  projectionStates: StateTable;
  rebuilds: RebuildTable;
}

export function createStore(db: Database): Store {
  const touch = db.prepare("update projects set updated_at = updated_at");
  return {
    db,
    environments: createEnvironmentTable(db),
    functions: createFunctionTable(db),
    events: createEventTable(db),
    idempotency: createIdempotencyTable(db),
    runs: createRunTable(db),
    steps: createStepTable(db),
    attemptErrors: createAttemptErrorTable(db),
    timers: createTimerTable(db),
    listeners: createListenerTable(db),
    breakers: createBreakerTable(db),
    deadLetters: createDeadLetterTable(db),
    debounces: createDebounceTable(db),
    schedules: createScheduleTable(db),
    audit: createAuditTable(db),
    kv: createKvTable(db),
    secrets: createSecretTable(db),
    sealed: createSealedValues(db),
    outbox: createOutboxTable(db),
    routingSlices: createRoutingSliceTable(db),
    agentTools: createAgentToolTable(db),
    age: createAgeTable(db),
    flow: createFlowTable(db),
    topics: createTopicTable(db),
    groups: createGroupTable(db),
    groupDeliveries: createDeliveryTable(db),
    webhooks: createWebhookTable(db),
    totals: createTotals(db),
    touch: () => {
      touch.run();
    },
    streams: createStreamTable(db),
    snapshots: createSnapshotTable(db),
    eventScanner: createEventScanner(db),
    projections: createProjectionTable(db),
    projectionStates: createStateTable(db),
    rebuilds: createRebuildTable(db),
  };
}
