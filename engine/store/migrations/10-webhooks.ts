/** Sources of webhooks, the keys their deliveries are signed with, and what became of each delivery. */
export const WEBHOOKS = `
create table webhook_sources (
  id text primary key, environment_id text not null references environments (id), name text not null,
  provider text not null, event_prefix text not null, token_hash text not null unique, verify text,
  revision integer not null, created_at integer not null, updated_at integer not null,
  unique (environment_id, provider)
) strict, without rowid;
create index webhook_sources_by_provider on webhook_sources (provider);

create table webhook_secrets (
  source_id text not null references webhook_sources (id), revision integer not null, key_id text not null,
  nonce blob not null, ciphertext blob not null, expires_at integer, primary key (source_id, revision)
) strict, without rowid;

create table webhook_deliveries (
  seq integer primary key autoincrement, id text not null unique, environment_id text not null,
  source_id text not null, delivery_key text, outcome text not null check (outcome in ('accepted', 'duplicate', 'rejected')),
  reason text not null, event_id text, event_name text, received_at integer not null
) strict;
create unique index webhook_deliveries_once on webhook_deliveries (source_id, delivery_key)
  where outcome = 'accepted' and delivery_key is not null;
create index webhook_deliveries_by_environment on webhook_deliveries (environment_id, seq);
create index webhook_deliveries_by_source on webhook_deliveries (source_id, seq);
create index webhook_deliveries_by_event on webhook_deliveries (environment_id, event_name, seq);
create index webhook_deliveries_by_outcome on webhook_deliveries (environment_id, outcome, seq);
create index webhook_deliveries_refused on webhook_deliveries (source_id, seq) where outcome <> 'accepted';
create index webhook_deliveries_by_time on webhook_deliveries (environment_id, received_at);

create table webhook_edges (
  source_id text not null, event_name text not null, primary key (source_id, event_name)
) strict, without rowid;
create trigger webhook_edges_learned after insert on webhook_deliveries when new.outcome = 'accepted' begin
  insert into webhook_edges values (new.source_id, new.event_name) on conflict do nothing;
end;
create trigger webhook_edges_forgotten after delete on webhook_sources begin
  delete from webhook_edges where source_id = old.id;
end;
`;
