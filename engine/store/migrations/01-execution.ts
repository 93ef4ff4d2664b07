/** Functions, events, runs, steps, timers, breakers and dead letters. */
export const EXECUTION = `
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
`;
