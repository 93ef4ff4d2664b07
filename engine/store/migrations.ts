import type { DatabaseSync } from "@photostructure/sqlite";

type Raw = InstanceType<typeof DatabaseSync>;

/**
 * Each entry lifts the schema by one version. Entries are only ever added: a database in the field has run the old ones.
 * Times are milliseconds since 1970; payload columns hold JSON text exactly as it came.
 */
const MIGRATIONS: readonly string[] = [
  `
  create table projects (
    id text primary key, name text not null, org_id text not null, created_at integer not null, updated_at integer not null
  ) strict, without rowid;

  create table environments (
    id text primary key, name text not null unique, color text not null,
    project_id text not null references projects (id), created_at integer not null, updated_at integer not null
  ) strict, without rowid;

  create table api_keys (
    hash text primary key, environment_id text not null references environments (id), name text not null,
    created_at integer not null
  ) strict, without rowid;

  create table functions (
    environment_id text not null references environments (id), id text not null, version integer not null,
    status text not null, config text not null, created_at integer not null, updated_at integer not null,
    primary key (environment_id, id)
  ) strict, without rowid;

  create table function_versions (
    environment_id text not null, function_id text not null, version integer not null, config text not null,
    change_reason text not null, created_at integer not null, primary key (environment_id, function_id, version)
  ) strict, without rowid;

  create table events (
    seq integer primary key, id text not null unique, environment_id text not null, name text not null, data text not null,
    metadata text, source text not null, version integer not null, idempotency_key text, run_id text,
    timestamp integer not null
  ) strict;
  create index events_by_time on events (environment_id, timestamp, id);
  create index events_by_name on events (environment_id, name, timestamp, id);

  create table idempotency (
    environment_id text not null, operation text not null, subject text not null, key text not null,
    event_id text not null, run_ids text not null, created_at integer not null,
    primary key (environment_id, operation, subject, key)
  ) strict, without rowid;

  create table runs (
    seq integer primary key, id text not null unique, environment_id text not null, function_id text not null,
    function_version integer not null, event_id text not null, event_name text not null, execution_mode text not null,
    status text not null check (status in
      ('running', 'completed', 'failed', 'cancelled', 'paused', 'waiting_for_capacity', 'waiting')),
    attempt integer not null, max_attempts integer not null, input text not null, output text, error text,
    parent_run_id text, parent_step_id text, depth integer not null, resume_from_step text, cancellation_cause text,
    pause_requested integer not null default 0, pause_reason text not null default '',
    execution_seq integer not null default 0, step_count integer not null default 0, version integer not null default 1,
    created_at integer not null, updated_at integer not null, started_at integer, ended_at integer, resumed_at integer,
    ready_at integer
  ) strict;
  create index runs_by_time on runs (environment_id, created_at, id);
  create index runs_by_status on runs (environment_id, status, created_at, id);
  create index runs_by_function on runs (environment_id, function_id, status, created_at, id);
  create index runs_by_event on runs (event_id);
  create index runs_by_parent on runs (parent_run_id) where parent_run_id is not null;
  create index runs_ready on runs (environment_id, function_id, ready_at, seq) where ready_at is not null;

  create table run_counts (
    environment_id text not null, function_id text not null, status text not null, runs integer not null,
    primary key (environment_id, function_id, status)
  ) strict, without rowid;
  create trigger runs_counted after insert on runs begin
    insert into run_counts values (new.environment_id, new.function_id, new.status, 1)
      on conflict do update set runs = runs + 1;
  end;
  create trigger runs_recounted after update of status on runs when old.status <> new.status begin
    update run_counts set runs = runs - 1
      where environment_id = old.environment_id and function_id = old.function_id and status = old.status;
    insert into run_counts values (new.environment_id, new.function_id, new.status, 1)
      on conflict do update set runs = runs + 1;
  end;
  create trigger runs_uncounted after delete on runs begin
    update run_counts set runs = runs - 1
      where environment_id = old.environment_id and function_id = old.function_id and status = old.status;
  end;

  create table steps (
    id text primary key, run_id text not null references runs (id) on delete cascade, name text not null,
    type text not null, sequence integer not null, status text not null, attempt integer not null,
    input text, output text, error text, compensation_for text, child_run_id text,
    started_at integer, ended_at integer, duration_ms real, sleep_until integer,
    wait_event_name text, wait_match text, wait_timeout_at integer,
    created_at integer not null, updated_at integer not null
  ) strict;
  create index steps_by_run on steps (run_id, sequence);
  create index steps_by_child on steps (child_run_id) where child_run_id is not null;

  create table attempt_errors (
    id integer primary key, run_id text not null references runs (id) on delete cascade, attempt integer not null,
    kind text not null, error text not null, failed_at integer not null
  ) strict;
  create index attempt_errors_by_run on attempt_errors (run_id);

  create table timers (
    id integer primary key, due_at integer not null, kind text not null,
    run_id text not null references runs (id) on delete cascade, step_id text
  ) strict;
  create index timers_by_due on timers (due_at);
  create index timers_by_run on timers (run_id);

  create table listeners (
    id integer primary key, environment_id text not null, event_name text not null, kind text not null,
    grammar text not null, expression text not null, match_key text,
    run_id text not null references runs (id) on delete cascade, step_id text
  ) strict;
  create index listeners_by_event on listeners (environment_id, event_name, grammar, expression, match_key);
  create index listeners_by_run on listeners (run_id);

  create table breakers (
    key text primary key, environment_id text not null, function_id text not null, endpoint text not null,
    state text not null, consecutive_fails integer not null, opened_at integer, last_failure_at integer,
    last_failure_reason text, updated_at integer not null
  ) strict, without rowid;

  create table dead_letters (
    seq integer primary key, id text not null unique, environment_id text not null, source text not null,
    subject text not null, event_id text, event_name text, function_id text, run_id text, error text not null,
    payload blob not null, created_at integer not null
  ) strict;
  create index dead_letters_by_source on dead_letters (environment_id, source, seq);
  `,
  `
  alter table runs add column lane_key text not null default '';
  alter table runs add column worker_id text;
  alter table runs add column lease_token text;
  alter table runs add column lease_expires_at integer;
  alter table runs add column claimed_at integer;
  alter table runs add column timeout_at integer;
  alter table runs add column takeovers integer not null default 0;
  drop index runs_ready;
  create index runs_ready on runs (environment_id, function_id, lane_key, ready_at, seq) where ready_at is not null;

  alter table steps add column original_output text;
  alter table steps add column patched_at integer;
  alter table steps add column patched_by text;
  alter table steps add column injected integer not null default 0;
  alter table steps add column wait_event_id text;
  create index steps_by_wait_event on steps (wait_event_id) where wait_event_id is not null;

  create index events_by_source on events (environment_id, source, timestamp, id);
  create index dead_letters_by_event on dead_letters (event_id) where event_id is not null;
  create index dead_letters_by_run on dead_letters (run_id) where run_id is not null;

  create index runs_by_function_time on runs (environment_id, function_id, created_at, id);

  create table event_names (
    environment_id text not null, name text not null, events integer not null, primary key (environment_id, name)
  ) strict, without rowid;
  insert into event_names select environment_id, name, count(*) from events group by environment_id, name;
  create trigger events_named after insert on events begin
    insert into event_names values (new.environment_id, new.name, 1) on conflict do update set events = events + 1;
  end;
  create trigger events_unnamed after delete on events begin
    update event_names set events = events - 1 where environment_id = old.environment_id and name = old.name;
    delete from event_names where environment_id = old.environment_id and name = old.name and events = 0;
  end;

  create table audit (
    seq integer primary key, id text not null unique, environment_id text not null, event_type text not null, run_id text,
    function_id text, step_id text, payload text not null, created_at integer not null
  ) strict;
  create index audit_by_environment on audit (environment_id, seq);
  create index audit_by_run on audit (run_id, seq) where run_id is not null;

  create table debounces (
    environment_id text not null, function_id text not null, key text not null, event_id text not null,
    events integer not null, first_at integer not null, due_at integer not null,
    primary key (environment_id, function_id, key)
  ) strict, without rowid;
  create index debounces_by_due on debounces (due_at);
  create index debounces_by_event on debounces (event_id);

  create table schedules (
    environment_id text not null, function_id text not null, expression text not null, next_at integer not null,
    last_at integer, primary key (environment_id, function_id, expression)
  ) strict, without rowid;
  create index schedules_by_next on schedules (next_at);

  create table breaker_failures (
    id integer primary key, key text not null, run_id text, reason text not null, opened integer not null,
    failed_at integer not null
  ) strict;
  create index breaker_failures_by_key on breaker_failures (key, id);
  `,
];

/** Runs the missing migrations, each in its own transaction. @throws when the file was written by a newer engine */
export function migrate(db: Raw, migrations: readonly string[] = MIGRATIONS): void {
  const row = db.prepare("pragma user_version").get() as { user_version: number };
  if (row.user_version > migrations.length) {
    throw new Error(
      `the database has schema version ${row.user_version}, this engine knows up to ${migrations.length}: use a newer engine`,
    );
  }
  for (const [index, sql] of migrations.entries()) {
    if (index < row.user_version) continue;
    db.exec("begin immediate");
    try {
      db.exec(sql);
      db.exec(`pragma user_version = ${index + 1}`);
      db.exec("commit");
    } catch (error) {
      db.exec("rollback");
      throw error;
    }
  }
}
