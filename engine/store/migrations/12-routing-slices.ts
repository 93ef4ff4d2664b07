/** What events that reach many runs have still to reach: a row for each part that is done in a change of its own. */
export const ROUTING_SLICES = `
create table routing_slices (
  seq integer primary key, environment_id text not null, event_id text not null, outbox_seq integer,
  listeners text not null, functions text not null
) strict;
create index routing_slices_by_event on routing_slices (event_id, seq);
`;
