/** Applications that registered tools for agents, and their tools. */
export const AGENT_TOOLS = `
create table agents (
  environment_id text not null references environments (id), name text not null, owner text not null,
  callback_url text not null, revision integer not null, key_id text not null, nonce blob not null,
  ciphertext blob not null, registered_at integer not null, primary key (environment_id, name)
) strict, without rowid;

create table agent_tools (
  environment_id text not null, agent text not null, qualified_name text not null, description text not null,
  schema text not null, scopes text not null, timeout_ms integer not null,
  primary key (environment_id, qualified_name)
) strict, without rowid;
create index agent_tools_by_agent on agent_tools (environment_id, agent);
`;
