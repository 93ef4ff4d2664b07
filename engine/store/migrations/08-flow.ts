/** What is learned about who emits, invokes, appends, publishes and waits for what; and messages on topics. */
export const FLOW = `
create table flow_edges (
  environment_id text not null, kind text not null check (kind in ('emit', 'invoke', 'stream', 'topic', 'wait')),
  source text not null, target text not null, primary key (environment_id, kind, source, target)
) strict, without rowid;

create table topic_messages (
  seq integer primary key autoincrement, id text not null unique, environment_id text not null, topic text not null,
  data text not null, run_id text, created_at integer not null
) strict;
create index topic_messages_by_topic on topic_messages (environment_id, topic, seq);
create index topic_messages_by_time on topic_messages (environment_id, created_at);

create table topics (
  environment_id text not null, topic text not null, messages integer not null, primary key (environment_id, topic)
) strict, without rowid;
create trigger topics_counted after insert on topic_messages begin
  insert into topics values (new.environment_id, new.topic, 1) on conflict do update set messages = messages + 1;
end;
create trigger topics_uncounted after delete on topic_messages begin
  update topics set messages = messages - 1 where environment_id = old.environment_id and topic = old.topic;
  delete from topics where environment_id = old.environment_id and topic = old.topic and messages = 0;
end;

create trigger flow_events after insert on events when new.run_id is not null and new.source not in ('invoke', 'cron')
begin
  insert into flow_edges select new.environment_id, 'emit', function_id, new.name from runs where id = new.run_id
    on conflict do nothing;
end;
create trigger flow_streams after insert on events when new.entity_type is not null begin
  insert into flow_edges values (new.environment_id, 'stream', new.entity_type, new.name) on conflict do nothing;
end;
create trigger flow_runs after insert on runs when new.parent_run_id is not null begin
  insert into flow_edges select new.environment_id, 'invoke', function_id, new.function_id
    from runs where id = new.parent_run_id on conflict do nothing;
end;
create trigger flow_waits after insert on steps when new.wait_event_name is not null begin
  insert into flow_edges select environment_id, 'wait', function_id, new.wait_event_name from runs where id = new.run_id
    on conflict do nothing;
end;
create trigger flow_topics after insert on topic_messages when new.run_id is not null begin
  insert into flow_edges select new.environment_id, 'topic', function_id, new.topic from runs where id = new.run_id
    on conflict do nothing;
end;
create trigger flow_functions after delete on functions begin
  delete from flow_edges where environment_id = old.environment_id and kind <> 'stream' and source = old.id;
  delete from flow_edges where environment_id = old.environment_id and kind = 'invoke' and target = old.id;
end;

insert into flow_edges
  select distinct e.environment_id, 'emit', r.function_id, e.name from events e join runs r on r.id = e.run_id
    where e.source not in ('invoke', 'cron')
  union select distinct environment_id, 'stream', entity_type, name from events where entity_type is not null
  union select distinct c.environment_id, 'invoke', p.function_id, c.function_id from runs c
    join runs p on p.id = c.parent_run_id
  union select distinct r.environment_id, 'wait', r.function_id, s.wait_event_name from steps s
    join runs r on r.id = s.run_id where s.wait_event_name is not null;
`;
