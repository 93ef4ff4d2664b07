import type { IncomingHttpHeaders } from "node:http";
import { isLosslessNumber } from "lossless-json";
import { isShallow } from "../../loopback/json-depth.ts";
import { parseExactJson } from "../../loopback/exact-json.ts";
import { hashToken } from "../../loopback/token.ts";
import type { VerifyConfig } from "../contract/webhooks.ts";
import { ApiError } from "../errors.ts";
import { valueAtPath } from "../execute/match.ts";
import { MAX_JSON_DEPTH } from "../json/json-text.ts";

export const FORM_TYPE = "application/x-www-form-urlencoded";

const maxKeyChars = 256;
const maxFormFields = 1_000;
/** Where providers that have no id in the body say what the delivery is called. */
const KEY_HEADERS = ["x-github-delivery", "webhook-id", "idempotency-key"];

/** A body as a JSON value. @throws ApiError invalid_argument */
export function parseBody(headers: IncomingHttpHeaders, body: Buffer): unknown {
  if (body.length === 0) throw new ApiError("invalid_argument", "body: missing");
  const isForm = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() === FORM_TYPE;
  // The door has checked JSON already.
  return isForm ? parseForm(body.toString("latin1")) : parseExactJson(body.toString("utf8"));
}

/**
 * The fields of a form, in order; one that comes several times is a list. GitHub and Slack may send their JSON as the one
 * field `payload`: then it is that.
 */
function parseForm(text: string): unknown {
  const fields = new Map<string, string[]>();
  const pairs = text.split("&").filter((pair) => pair !== "");
  if (pairs.length > maxFormFields)
    throw new ApiError("invalid_argument", `body: more than ${maxFormFields} fields`);
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    fields.set(name, [...(fields.get(name) ?? []), at < 0 ? "" : decode(pair.slice(at + 1))]);
  }
  const [payload, ...more] = fields.get("payload") ?? [];
  if (fields.size === 1 && payload !== undefined && more.length === 0) {
    const value = asJson(payload);
    if (value !== undefined) return value;
  }
  const object: Record<string, unknown> = {};
  for (const [name, values] of fields)
    // A plain assignment to `__proto__` would change the object instead of its members.
    Object.defineProperty(object, name, {
      value: values.length === 1 ? values[0] : values,
      enumerable: true,
    });
  return object;
}

function decode(text: string): string {
  // Everything but ASCII has to come percent-encoded; then the bytes have to be UTF-8.
  if (/[^\x21-\x7e]/.test(text)) throw new ApiError("invalid_argument", "body: is not URL-encoded");
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new ApiError("invalid_argument", "body: is not URL-encoded UTF-8");
  }
}

function asJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || !isShallow(text, MAX_JSON_DEPTH)) return undefined;
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** What a delivery says about itself. */
export interface DeliveryNames {
  /** Behind the source's prefix; undefined for the prefix alone. */
  type: string | undefined;
  /** As it was sent; undefined when nothing names it. */
  id: string | undefined;
}

export function namesOf(
  config: VerifyConfig | undefined,
  headers: IncomingHttpHeaders,
  value: unknown,
): DeliveryNames {
  const header = (name: string) => textOf(headers[name]);
  const at = (path: string | undefined): string | undefined => {
    if (path === undefined || path === "") return undefined;
    const colon = path.indexOf(":");
    const place = path.slice(colon + 1);
    return path.slice(0, colon) === "header" ? header(place.toLowerCase()) : keyOf(valueAtPath(value, place));
  };
  const member = (name: string) => valueAtPath(value, name);
  return {
    type: config?.eventNamePath
      ? at(config.eventNamePath)
      : (textOf(member("type")) ?? header("x-github-event")),
    id: config?.dedupIdPath
      ? at(config.dedupIdPath)
      : (keyOf(member("id")) ??
        keyOf(member("event_id")) ??
        KEY_HEADERS.map(header).find((text) => text !== undefined)),
  };
}

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

/** A number keeps all of its digits: two ids are never taken for one. */
function keyOf(value: unknown): string | undefined {
  if (typeof value === "number" || isLosslessNumber(value)) return String(value);
  return textOf(value);
}

/** A key that the store could not hold as it is stands there as its hash. */
export function shortened(key: string): string {
  return key.length > maxKeyChars || /[\p{Cc}\p{Cs}]/u.test(key) ? `sha256:${hashToken(key)}` : key;
}
