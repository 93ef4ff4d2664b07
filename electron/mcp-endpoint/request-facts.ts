import type { IncomingMessage } from "node:http";
import type { AuthInfo } from "@modelcontextprotocol/server";
import type { Caller } from "./permissions.ts";

/** Where a request came from, as the audit writes it. */
export interface Remote {
  readonly remote?: string;
  readonly forwarded_for?: string;
}

/** A claim is kept apart and cut: it is worth no more. */
const CLAIM_CHARS = 256;

export function remoteOf(request: IncomingMessage): Remote {
  const { remoteAddress: address, remotePort: port } = request.socket;
  const claim = request.headers["x-forwarded-for"];
  return {
    ...(address === undefined ? {} : { remote: `${address}:${port ?? 0}` }),
    ...(claim === undefined ? {} : { forwarded_for: String(claim).slice(0, CLAIM_CHARS) }),
  };
}

/** What the guard found out about one HTTP request. It travels to the protocol's handlers in the SDK's `AuthInfo`. */
export interface RequestFacts {
  readonly caller: Caller;
  /** Differs for every token, also for one that was made again under the same name. */
  readonly tokenId: string;
  /** The other end of the socket, and what a proxy claims of the one behind it. */
  readonly remote: Remote;
  readonly connection: string;
  /** Aborts when the client has gone away before it was answered. */
  readonly gone: AbortSignal;
}

const KEY = "ironbridge";

/** The token itself stays behind: nothing after the guard needs it. */
export function toAuthInfo(facts: RequestFacts): AuthInfo {
  return {
    token: "",
    clientId: facts.caller.name,
    scopes: [...facts.caller.permissions],
    extra: { [KEY]: facts },
  };
}

/** @throws Error when the request did not come through our guard, which is a mistake in our own wiring */
export function factsOf(authInfo: AuthInfo | undefined): RequestFacts {
  const facts = authInfo?.extra?.[KEY];
  if (facts === undefined) throw new Error("a request without the guard's facts");
  return facts as RequestFacts; // put there by toAuthInfo only
}
