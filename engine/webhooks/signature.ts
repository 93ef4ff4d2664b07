import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { VerifyConfig } from "../contract/webhooks.ts";

export type Verdict = { ok: true } | { ok: false; reason: string };

interface Claim {
  signatures: string[];
  /** The time as it was sent and signed; undefined when the signature covers none. */
  time: string | undefined;
}

const refuse = (reason: string): Verdict => ({ ok: false, reason });
/** More signatures in one header are not looked at: a provider sends one for each of its keys. */
const maxSignatures = 8;

/**
 * Whether one of the secrets made the signature of exactly these bytes. Compared in constant time.
 * A reason never holds a signature or a secret.
 */
export function verifySignature(
  config: VerifyConfig,
  secrets: readonly string[],
  headers: IncomingHttpHeaders,
  body: Uint8Array,
  nowMs: number,
): Verdict {
  if (secrets.length === 0) return refuse("no secret of the source can be read with this engine's key");
  const claim = readClaim(config, headers);
  if (claim === undefined) return refuse(`header ${config.header}: holds no signature`);
  if (claim.time === "") return refuse(`header ${config.timestampHeader ?? config.header}: holds no time`);
  if (claim.time !== undefined) {
    if (!/^\d{1,12}$/.test(claim.time)) return refuse("the signed time is no number of seconds");
    if (Math.abs(nowMs / 1000 - Number(claim.time)) > config.toleranceSeconds)
      return refuse("the signed time is too far from now");
  }
  let matches = false;
  for (const secret of secrets) {
    const hmac = createHmac(config.algorithm, secret);
    if (claim.time !== undefined) hmac.update(`${claim.time}.`);
    const wanted = hmac.update(body).digest();
    for (const signature of claim.signatures) {
      const given = Buffer.from(signature, config.encoding);
      // Buffer.from skips what it cannot read, so only a text of the right form is compared.
      const same = isEncoded(signature, config.encoding) && given.length === wanted.length;
      if (same && timingSafeEqual(given, wanted)) matches = true;
    }
  }
  return matches ? { ok: true } : refuse("the signature does not match");
}

function isEncoded(text: string, encoding: VerifyConfig["encoding"]): boolean {
  return encoding === "hex" ? /^(?:[0-9a-fA-F]{2})+$/.test(text) : /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

function readClaim(config: VerifyConfig, headers: IncomingHttpHeaders): Claim | undefined {
  const text = headers[config.header];
  if (typeof text !== "string") return undefined;
  if (config.scheme === "stripe") {
    const parts = text.split(",").map((part) => part.trim());
    const of = (name: string) =>
      parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
    const signatures = of("v1").slice(0, maxSignatures);
    return signatures.length === 0 ? undefined : { signatures, time: of("t")[0] ?? "" };
  }
  if (!text.startsWith(config.prefix)) return undefined;
  const signature = text.slice(config.prefix.length);
  if (signature === "") return undefined;
  if (config.timestampHeader === undefined) return { signatures: [signature], time: undefined };
  const time = headers[config.timestampHeader];
  return { signatures: [signature], time: typeof time === "string" ? time : "" };
}
