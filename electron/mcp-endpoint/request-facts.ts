import type { AuthInfo } from "@modelcontextprotocol/server";
import type { Caller } from "./permissions.ts";

/** What the guard found out about one HTTP request. It travels to the protocol's handlers in the SDK's `AuthInfo`. */
export interface RequestFacts {
  readonly caller: Caller;
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
