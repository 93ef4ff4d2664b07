/** Which key did what the audit tells; and what it tells of keys, which is few among many. */
export const AUDIT_KEYS = `
alter table audit add column api_key_id text;
create index audit_by_key on audit (environment_id, api_key_id, seq) where api_key_id is not null;
create index audit_of_auth on audit (environment_id, seq) where event_type >= 'auth.' and event_type < 'auth/';
`;
