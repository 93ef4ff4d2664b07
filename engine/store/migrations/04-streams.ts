/** Entity streams: events that belong to one entity and are numbered within it, and snapshots of what they add up to. */
export const STREAMS = `
alter table events add column entity_id text;
alter table events add column entity_type text;
alter table events add column entity_version integer;
create unique index events_by_entity on events (environment_id, entity_id, entity_version) where entity_id is not null;
create index events_by_run on events (run_id) where run_id is not null and entity_id is not null;

create table streams (
  environment_id text not null references environments (id), entity_id text not null, entity_type text not null,
  version integer not null, event_count integer not null, created_at integer not null, updated_at integer not null,
  deleted_at integer, purge_below integer, purging integer not null default 0,
  primary key (environment_id, entity_id)
) strict, without rowid;
create index streams_by_time on streams (environment_id, updated_at, entity_id);
create index streams_by_type on streams (environment_id, entity_type, updated_at, entity_id);
create index streams_purging on streams (purging) where purging = 1;

create table snapshots (
  id text primary key, environment_id text not null, entity_id text not null, entity_type text not null,
  entity_version integer not null, state text not null, created_at integer not null,
  unique (environment_id, entity_id, entity_version)
) strict;
`;
