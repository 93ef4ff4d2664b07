/**
 * Projections: who reads which events and how far, the states of managed ones, rebuilds, and former definitions. A rebuild
 * makes a generation of its own; `projections.generation` says which one is served.
 */
export const PROJECTIONS = `
create table projections (
  environment_id text not null references environments (id), name text not null,
  mode text not null check (mode in ('managed', 'external')), type text not null check (type in ('code', 'sql')),
  status text not null check (status in ('active', 'paused', 'error')), events text not null, partition_key text not null,
  version integer not null, description text not null, table_name text, table_sql text, handlers text,
  generation integer not null, physical_table text, cursor_seq integer not null,
  last_event_seq integer not null, last_event_id text, error_message text, rebuild_id text,
  created_at integer not null, updated_at integer not null, primary key (environment_id, name)
) strict, without rowid;
create unique index projections_by_table on projections (environment_id, table_name) where table_name is not null;
create index projections_of_sql on projections (type) where type = 'sql';

create table projection_states (
  environment_id text not null, name text not null, generation integer not null, partition_key text not null,
  state text not null, last_event_id text, last_event_seq integer not null, last_event_time integer,
  version integer not null, updated_at integer not null,
  unique (environment_id, name, generation, partition_key)
) strict;

create table rebuild_jobs (
  seq integer primary key, id text not null unique, environment_id text not null, name text not null,
  status text not null check (status in ('running', 'completed', 'cancelled', 'failed')), generation integer not null,
  physical_table text, from_event_id text not null, to_event_id text not null, partition_key text not null,
  from_seq integer not null, to_seq integer not null, target_seq integer not null, cursor_seq integer not null,
  last_event_seq integer not null, last_event_id text, events_processed integer not null, total_events integer not null,
  error text, started_at integer not null, ended_at integer
) strict;
create index rebuild_jobs_by_projection on rebuild_jobs (environment_id, name, seq);

create table projection_history (
  environment_id text not null, name text not null, revision integer not null, definition text not null,
  change_type text not null, change_reason text not null, recorded_at integer not null,
  primary key (environment_id, name, revision)
) strict, without rowid;

create table projection_generations (
  environment_id text not null, name text not null, last integer not null, primary key (environment_id, name)
) strict, without rowid;

create table projection_garbage (
  id integer primary key, environment_id text, name text, generation integer, table_name text
) strict;
`;
