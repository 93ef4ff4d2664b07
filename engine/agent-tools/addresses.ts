import { lookup, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { ApiError } from "../errors.ts";

/** Where callbacks may go: this machine and the public network, and what is listed by name or address. */
export interface AddressRules {
  /** Hosts that are always let through. */
  allowed: ReadonlySet<string>;
  /** Private networks too (`--dev`). */
  privateToo: boolean;
}

const forbidden = new BlockList();
for (const [net, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  forbidden.addSubnet(net, bits, "ipv4");
for (const [net, bits] of [
  ["::", 128],
  ["fc00::", 7],
  ["fe80::", 10],
] as const)
  forbidden.addSubnet(net, bits, "ipv6");

/** An IPv4 address inside IPv6 is the IPv4 address. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "");

const isForbidden = (address: string, { privateToo }: AddressRules): boolean =>
  !privateToo && forbidden.check(plain(address), isIP(plain(address)) === 6 ? "ipv6" : "ipv4");

/** @throws ApiError invalid_argument */
export function checkCallbackUrl(text: string, rules: AddressRules): void {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new ApiError("invalid_argument", "callbackUrl: is not a URL");
  }
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ApiError("invalid_argument", "callbackUrl: must be http or https");
  }
  if (url.username !== "" || url.password !== "") {
    throw new ApiError("invalid_argument", "callbackUrl: must not hold a user name or password");
  }
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !rules.allowed.has(host) && isForbidden(host, rules)) {
    throw new ApiError(
      "invalid_argument",
      "callbackUrl: private addresses are refused, but for those in IRONFLOW_AGENT_TOOLS_URL_ALLOWLIST",
    );
  }
}

/** Looks a name up when the connection is made, so that a name cannot point somewhere else by then. */
export function guardedLookup(rules: AddressRules): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      const open =
        error === null
          ? addresses.filter(({ address }) => rules.allowed.has(hostname) || !isForbidden(address, rules))
          : [];
      const [first] = open;
      if (first === undefined)
        done(error ?? new Error(`${hostname} has no address that callbacks may go to`), []);
      else if (options.all === true) done(null, open);
      else done(null, first.address, first.family);
    });
  };
}
