import * as z from "zod/v4";
import { SESSION_MARKER } from "../loopback/environment.ts";
import { problemOf } from "./problem.ts";

/** The bearer token of the HTTP API, fresh per launch. */
export const TOKEN_VARIABLE = "IRONBRIDGE_BRIDGE_TOKEN";

const BridgeVariables = z.object({
  [TOKEN_VARIABLE]: z.string().min(32, "must be at least 32 characters").max(512),
  [SESSION_MARKER]: z.string().regex(/^[A-Za-z0-9-]{8,64}$/, "must be 8 to 64 letters, digits and hyphens"),
});

export interface BridgeEnvironment {
  token: string;
  marker: string;
}

/**
 * What the bridge is told when it is started. Whatever it starts must not inherit it, so our variables are taken out of
 * `env`, the marker excepted.
 * @throws Error that names the variable
 */
export function takeEnvironment(env: NodeJS.ProcessEnv): BridgeEnvironment {
  const parsed = BridgeVariables.safeParse(env);
  for (const name of Object.keys(env))
    if (name.startsWith("IRONBRIDGE_") && name !== SESSION_MARKER) delete env[name];
  if (!parsed.success) throw new Error(problemOf(parsed.error));
  return { token: parsed.data[TOKEN_VARIABLE], marker: parsed.data[SESSION_MARKER] };
}
