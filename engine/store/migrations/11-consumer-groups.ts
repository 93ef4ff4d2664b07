/**
 * Groups of subscribers that share what is published, and what each group has not acknowledged yet. A delivery names the
 * message or event: its data is read where it is stored, so that a redaction reaches it.
 */
export const CONSUMER_GROUPS = `
create table consumer_groups (
  id text primary key, environment_id text not null, name text not null, pattern text not null, filter_expr text not null,
  ack_mode text not null check (ack_mode in ('auto', 'manual')),
  backpressure text not null check (backpressure in ('drop', 'block', 'buffer')),
  max_inflight integer not null, max_redeliveries integer not null, redeliver_delay_ms integer not null,
  metadata text, status text not null check (status in ('active', 'paused')), dropped integer not null, waiting integer not null,
  created_at integer not null, updated_at integer not null, unique (environment_id, name)
) strict;

create table group_deliveries (
  seq integer primary key autoincrement, group_id text not null references consumer_groups (id) on delete cascade,
  topic text not null, message_id text not null, attempts integer not null,
  state text not null check (state in ('ready', 'sent', 'resting')), member text, due_at integer,
  unique (group_id, message_id, topic)
) strict;
create index group_deliveries_ready on group_deliveries (group_id, seq) where state = 'ready';
create index group_deliveries_due on group_deliveries (due_at, seq) where due_at is not null;
create index group_deliveries_member on group_deliveries (member) where member is not null;
create index group_deliveries_topic on group_deliveries (topic, group_id);
create trigger group_deliveries_counted after insert on group_deliveries begin
  update consumer_groups set waiting = waiting + 1 where id = new.group_id;
end;
create trigger group_deliveries_uncounted after delete on group_deliveries begin
  update consumer_groups set waiting = waiting - 1 where id = old.group_id;
end;
`;
