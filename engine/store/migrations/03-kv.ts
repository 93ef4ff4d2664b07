/** Key-value buckets and every kept revision of their keys. */
export const KV = `
create table kv_buckets (
  id integer primary key autoincrement, environment_id text not null references environments (id), name text not null,
  description text not null, ttl_seconds integer, max_value_bytes integer not null, max_bytes integer,
  history integer not null, revision integer not null default 0, entries integer not null default 0,
  bytes integer not null default 0, created_at integer not null, unique (environment_id, name)
) strict;

create table kv_entries (
  bucket_id integer not null, key text not null, revision integer not null,
  operation text not null check (operation in ('put', 'delete')), latest integer not null, value blob not null,
  created_at integer not null, expires_at integer, primary key (bucket_id, key, revision)
) strict;
create index kv_entries_latest on kv_entries (bucket_id, key, expires_at) where latest = 1 and operation = 'put';
create index kv_entries_by_expiry on kv_entries (expires_at) where expires_at is not null;

create table kv_dropped (bucket_id integer primary key) strict;
`;
