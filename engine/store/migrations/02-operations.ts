/** Pull workers, lanes, injection, audit, debounce, cron and the history of breakers. */
export const OPERATIONS = `
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
`;
