/** A table that SQL may read: a view over tables of the store that shows one environment's rows. */
export interface SqlTable {
  name: string;
  /** Tables of the store that `select` reads; everything else in the store cannot be reached through it. */
  reads: readonly string[];
  /** The view's query. `schema` is how the store is called, `environment` the environment's id as a literal. */
  select(schema: string, environment: string): string;
}

/** A time of the store (ms since 1970) as RFC 3339 text, and beside it the number, which indexes know. */
const time = (column: string, name = column.split(".").at(-1) ?? column) =>
  `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch') as ${name}, ${column} as ${name}_ms`;

/** The documented tables. A table that is added here is served, described and tested. */
export const SQL_TABLES: readonly SqlTable[] = [
  {
    name: "runs",
    reads: ["runs"],
    select: (
      schema,
      environment,
    ) => `select id, function_id, function_version, event_id, event_name, execution_mode,
      status, attempt, max_attempts, input, output, error, parent_run_id, parent_step_id, worker_id, resume_from_step,
      cancellation_cause, pause_requested, pause_reason, ${time("created_at")}, ${time("updated_at")},
      ${time("started_at")}, ${time("ended_at")}, ended_at - coalesce(started_at, created_at) as duration_ms,
      environment_id from ${schema}.runs where environment_id = ${environment}`,
  },
  {
    name: "steps",
    reads: ["steps", "runs"],
    select: (
      schema,
      environment,
    ) => `select s.id, s.run_id, s.name as step_id, s.type as step_type, s.sequence, s.status,
      s.attempt, s.input, s.output, s.original_output, s.error, s.duration_ms, ${time("s.created_at")},
      ${time("s.updated_at")}, ${time("s.started_at")}, ${time("s.ended_at")}, ${time("s.sleep_until")},
      s.wait_event_name, ${time("s.wait_timeout_at", "wait_timeout")}, s.child_run_id, s.compensation_for,
      ${time("s.patched_at")}, s.patched_by, r.function_id, r.environment_id
      from ${schema}.steps s join ${schema}.runs r on r.id = s.run_id where r.environment_id = ${environment}`,
  },
  {
    name: "events",
    reads: ["events", "streams"],
    // Nobody reads what a stream was purged of, also while its rows are being removed.
    select: (
      schema,
      environment,
    ) => `select e.id, e.name, e.data, e.metadata, e.source, e.version, e.idempotency_key,
      e.run_id, e.entity_id, e.entity_type, e.entity_version, ${time("e.timestamp")},
      ${time("e.timestamp", "created_at")}, e.environment_id
      from ${schema}.events e where e.environment_id = ${environment} and (e.entity_id is null or not exists
        (select 1 from ${schema}.streams s where s.environment_id = e.environment_id and s.entity_id = e.entity_id
          and s.purging = 1 and e.entity_version < s.purge_below))`,
  },
  {
    name: "entity_streams",
    reads: ["streams"],
    select: (
      schema,
      environment,
    ) => `select entity_id, entity_type, version, event_count, ${time("created_at")},
      ${time("updated_at")}, ${time("deleted_at")}, environment_id
      from ${schema}.streams where environment_id = ${environment}`,
  },
  {
    name: "functions",
    reads: ["functions"],
    select: (schema, environment) => `select id, version, status, config ->> '$.name' as name,
      config ->> '$.description' as description, config ->> '$.preferredMode' as execution_mode,
      config ->> '$.endpointUrl' as endpoint_url, config -> '$.triggers' as triggers, config, ${time("created_at")},
      ${time("updated_at")}, environment_id from ${schema}.functions where environment_id = ${environment}`,
  },
  {
    name: "dead_letters",
    reads: ["dead_letters"],
    select: (
      schema,
      environment,
    ) => `select id, source, subject, event_id, event_name, function_id, run_id, error,
      cast(payload as text) as payload, ${time("created_at")}, environment_id
      from ${schema}.dead_letters where environment_id = ${environment}`,
  },
  {
    name: "outbox",
    reads: ["outbox"],
    select: (schema, environment) => `select id, event_id, topic, kind, entity_id, attempts, last_error,
      ${time("created_at")}, ${time("due_at")}, ${time("dead_at")}, environment_id
      from ${schema}.outbox where environment_id = ${environment}`,
  },
  {
    name: "topic_messages",
    reads: ["topic_messages"],
    select: (
      schema,
      environment,
    ) => `select id, seq, topic, data, run_id, ${time("created_at")}, environment_id
      from ${schema}.topic_messages where environment_id = ${environment}`,
  },
  {
    name: "audit",
    reads: ["audit"],
    select: (
      schema,
      environment,
    ) => `select id, event_type, run_id, function_id, step_id, payload, api_key_id,
      ${time("created_at")}, environment_id from ${schema}.audit where environment_id = ${environment}`,
  },
];
