/**
 * Sources say how they are verified in fields that any provider's scheme is a value of; what was stored as one of two schemes
 * is written in them. Deliveries say which secret made their signature.
 */
export const WEBHOOK_DESCRIPTORS = `
alter table webhook_sources add column metadata text;
alter table webhook_sources add column schema_version integer not null default 1;
alter table webhook_sources add column token_prefix text not null default '';
alter table webhook_deliveries add column signature_key text not null default '';
update webhook_sources set verify = case verify ->> 'scheme'
  when 'stripe' then json_object(
    'signatureHeader', verify ->> 'header', 'entrySeparator', ',', 'kvDelimiter', '=', 'signatureKey', 'v1',
    'timestampKey', 't', 'signingTemplate', '{ts}.{body}', 'encoding', verify ->> 'encoding',
    'algorithm', 'hmac-' || (verify ->> 'algorithm'), 'toleranceSeconds', verify ->> 'toleranceSeconds')
  else json_object(
    'signatureHeader', verify ->> 'header',
    'kvDelimiter', substr(verify ->> 'prefix', -1), 'signatureKey', substr(verify ->> 'prefix', 1, length(verify ->> 'prefix') - 1),
    'timestampHeader', coalesce(verify ->> 'timestampHeader', ''),
    'signingTemplate', iif(verify ->> 'timestampHeader' is null, '{body}', '{ts}.{body}'),
    'encoding', verify ->> 'encoding', 'algorithm', 'hmac-' || (verify ->> 'algorithm'),
    'toleranceSeconds', iif(verify ->> 'timestampHeader' is null, 0, verify ->> 'toleranceSeconds'))
  end where verify is not null;
`;
