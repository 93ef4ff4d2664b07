/** What is still to be told about stored events, and what could not be. */
export const OUTBOX = `
create table outbox (
  seq integer primary key, id text not null unique, environment_id text not null, event_id text not null,
  topic text not null, kind text not null check (kind in ('entity', 'event')), entity_id text not null,
  attempts integer not null default 0, last_error text, created_at integer not null, due_at integer, dead_at integer
) strict;
create index outbox_by_due on outbox (due_at, seq) where due_at is not null;
create index outbox_by_entity on outbox (environment_id, entity_id, kind, seq);
create index outbox_by_event on outbox (environment_id, event_id);
create index outbox_dead on outbox (environment_id, dead_at, seq) where dead_at is not null;
`;
