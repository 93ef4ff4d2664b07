import type { RateLimit, TerminalPolicy } from "../contract/tokens.ts";

/**
 * Whether a list of permissions holds the wanted one. `*` holds everything, `mcp.*` everything that starts with `mcp.`;
 * nothing else stands for more than itself.
 */
export function grants(permissions: readonly string[], wanted: string): boolean {
  return permissions.some(
    (given) => given === "*" || given === wanted || (given === "mcp.*" && wanted.startsWith("mcp.")),
  );
}

/** Who asks for something: the person at the app, or the holder of a token. The name is the identity. */
export interface Caller {
  readonly kind: "user" | "token";
  readonly name: string;
  readonly permissions: readonly string[];
  /** Of a token, where the person set one. */
  readonly rateLimit?: RateLimit;
  /** Of a token, where the person chose one. */
  readonly terminalPolicy?: TerminalPolicy;
}

/** How the audit writes a caller: no token can be taken for the person. */
export const auditUser = (caller: Caller): string =>
  caller.kind === "user" ? "user" : `token:${caller.name}`;

/** The person at the app. No token can have this name. */
export const USER: Caller = { kind: "user", name: "user", permissions: ["*"] };
