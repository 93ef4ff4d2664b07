/** What a managed projection's partition was before its newest saves. A table of its own: the newest state is read far more often. */
export const PAST_STATES = `
create table projection_past_states (
  environment_id text not null, name text not null, generation integer not null, partition_key text not null,
  state text not null, last_event_id text, last_event_seq integer not null, last_event_time integer,
  version integer not null, updated_at integer not null,
  unique (environment_id, name, generation, partition_key, version)
) strict;
`;
