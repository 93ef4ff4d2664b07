import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { VerifyConfig } from "../contract/webhooks.ts";

/** What a delivery claims to be signed with, as its configuration reads it. */
export interface Claim {
  signatures: string[];
  /** The time as it was sent; "" for none. */
  time: string;
  /** What was signed, between its beginning and its end: the body. */
  before: string;
  after: string;
}

/** `index`: which of the secrets made the signature. */
export type Verdict = { ok: true; index: number } | { ok: false; reason: string };

const refuse = (reason: string): Verdict => ({ ok: false, reason });
/** More signatures in one header are not looked at: a provider sends one for each of its keys. */
const maxSignatures = 8;
/** Standard Webhooks writes its keys so: what follows is base64. */
const base64KeyPrefix = "whsec_";

/** @param id what the delivery is called, for `{id}`; "" for nothing */
export function readClaim(config: VerifyConfig, headers: IncomingHttpHeaders, id: string): Claim {
  const header = (name: string): string => {
    const value = headers[name];
    return typeof value === "string" ? value : "";
  };
  const text = header(config.signatureHeader);
  const entries =
    config.entrySeparator === "" ? [text] : text.split(config.entrySeparator).map((part) => part.trim());
  const valuesOf = (key: string): string[] =>
    entries.flatMap((entry) => {
      const at = entry.indexOf(config.kvDelimiter);
      return at >= 0 && entry.slice(0, at) === key ? [entry.slice(at + config.kvDelimiter.length)] : [];
    });
  const signatures = config.kvDelimiter === "" ? entries : valuesOf(config.signatureKey);
  const time =
    config.timestampHeader !== ""
      ? header(config.timestampHeader)
      : config.timestampKey === "" || config.kvDelimiter === ""
        ? ""
        : (valuesOf(config.timestampKey)[0] ?? "");
  // The body is put in last: nothing in it can stand for a time or an id.
  const [before = "", after = ""] = config.signingTemplate
    .split("{body}")
    .map((part) => part.replaceAll("{ts}", () => time).replaceAll("{id}", () => id));
  return {
    signatures: signatures.filter((signature) => signature !== "").slice(0, maxSignatures),
    time,
    before,
    after,
  };
}

/** The signature that a secret makes of a delivery. */
export function computeSignature(
  config: VerifyConfig,
  secret: string,
  claim: Claim,
  body: Uint8Array,
): Buffer {
  const key = secret.startsWith(base64KeyPrefix)
    ? Buffer.from(secret.slice(base64KeyPrefix.length), "base64")
    : secret;
  return createHmac(config.algorithm.replace("hmac-", ""), key)
    .update(claim.before)
    .update(body)
    .update(claim.after)
    .digest();
}

/**
 * Whether one of the secrets made the signature of exactly these bytes. Compared in constant time.
 * A reason never holds a signature or a secret.
 */
export function verifySignature(
  config: VerifyConfig,
  secrets: readonly string[],
  claim: Claim,
  body: Uint8Array,
  nowMs: number,
): Verdict {
  if (secrets.length === 0) return refuse("no secret of the source can be read with this engine's key");
  if (claim.signatures.length === 0) return refuse(`header ${config.signatureHeader}: holds no signature`);
  if (config.signingTemplate.includes("{ts}")) {
    if (claim.time === "")
      return refuse(`header ${config.timestampHeader || config.signatureHeader}: holds no time`);
    if (!/^\d{1,12}$/.test(claim.time)) return refuse("the signed time is no number of seconds");
    const apartSeconds = Math.abs(nowMs / 1000 - Number(claim.time));
    if (config.toleranceSeconds > 0 && apartSeconds > config.toleranceSeconds)
      return refuse("the signed time is too far from now");
  }
  let matched = -1;
  for (const [index, secret] of secrets.entries()) {
    const wanted = computeSignature(config, secret, claim, body);
    for (const signature of claim.signatures) {
      const given = Buffer.from(signature, config.encoding);
      // Buffer.from skips what it cannot read, so only a text of the right form is compared.
      const same = isEncoded(signature, config.encoding) && given.length === wanted.length;
      if (same && timingSafeEqual(given, wanted) && matched < 0) matched = index;
    }
  }
  return matched < 0 ? refuse("the signature does not match") : { ok: true, index: matched };
}

function isEncoded(text: string, encoding: VerifyConfig["encoding"]): boolean {
  return encoding === "hex" ? /^(?:[0-9a-fA-F]{2})+$/.test(text) : /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
