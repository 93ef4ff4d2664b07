import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** 256 bits: not guessable, and long enough that a plain hash of it needs no salt. */
const TOKEN_RANDOM_BYTES = 32;
const PREFIX = /^[a-z][a-z0-9]{0,11}_$/;
/** RFC 6750 `b68token`, bounded in characters. The scheme's name is case-insensitive, the single space is not optional. */
const BEARER = /^bearer ([A-Za-z0-9\-._~+/]{1,512}={0,2})$/i;

/**
 * A fresh bearer token: `prefix` and 43 characters of base64url.
 * The prefix (1 to 12 characters and an underscore, for instance `ibk_`) lets people and secret scanners recognise it.
 * @throws RangeError when the prefix has another form
 */
export function makeToken(prefix: string): string {
  if (!PREFIX.test(prefix)) throw new RangeError(`token prefix must match ${PREFIX.source}`);
  return prefix + randomBytes(TOKEN_RANDOM_BYTES).toString("base64url");
}

/** sha256 of a token as 64 lower-case hex characters: the form in which a token may be stored or used as a map's key. */
export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** Compares two tokens in constant time. The digests have equal lengths, so the length of `wanted` does not leak either. */
export function sameToken(given: string | undefined, wanted: string): boolean {
  if (given === undefined || wanted === "") return false;
  return timingSafeEqual(digest(given), digest(wanted));
}

/** The token of an `Authorization` header's raw value, or undefined when it is not exactly one bearer token. */
export function parseBearer(header: string | undefined): string | undefined {
  return header === undefined ? undefined : BEARER.exec(header)?.[1];
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
