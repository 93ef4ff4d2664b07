import { isAbsolute } from "node:path";
import * as z from "zod/v4";
import { SESSION_MARKER } from "../loopback/environment.ts";
import { problemOf } from "./problem.ts";

/** The bearer token of the HTTP API, fresh per launch. */
export const TOKEN_VARIABLE = "IRONBRIDGE_BRIDGE_TOKEN";
/** Where older output goes: a folder of this profile that nobody else uses. It is made when it is not there. */
export const LOGS_VARIABLE = "IRONBRIDGE_BRIDGE_LOGS";

const BridgeVariables = z.object({
  [TOKEN_VARIABLE]: z.string().min(32, "must be at least 32 characters").max(512),
  [SESSION_MARKER]: z.string().regex(/^[A-Za-z0-9-]{8,64}$/, "must be 8 to 64 letters, digits and hyphens"),
  [LOGS_VARIABLE]: z.string().max(4096).refine(isAbsolute, "must be an absolute path"),
});

export interface BridgeEnvironment {
  token: string;
  marker: string;
  logs: string;
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
  const { data } = parsed;
  return { token: data[TOKEN_VARIABLE], marker: data[SESSION_MARKER], logs: data[LOGS_VARIABLE] };
}
