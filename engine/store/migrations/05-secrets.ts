/** Secrets, whose values are stored encrypted only. */
export const SECRETS = `
create table secrets (
  environment_id text not null references environments (id), name text not null, revision integer not null,
  description text not null, key_id text not null, nonce blob not null, ciphertext blob not null,
  created_at integer not null, updated_at integer not null, primary key (environment_id, name)
) strict, without rowid;
create index secrets_by_key on secrets (key_id);
`;
