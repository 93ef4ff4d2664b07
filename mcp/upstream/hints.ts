import type { ConnectCode } from "../../engine/contract/errors.ts";

/** What a model or a person can do about an error, by its code. */
export type Hints = Readonly<Partial<Record<ConnectCode, string>>>;

export const ENGINE_HINTS: Hints = {
  unauthenticated: "The engine wants an API key, or another one: set IRONFLOW_API_KEY and start again.",
  permission_denied: "The API key in use may not do this; it may also belong to another environment.",
  not_found: "Check the id with the matching list tool; ids belong to one engine and one environment.",
  already_exists: "An identical request is under way or was just done: wait and look, do not send it again.",
  aborted: "Something else changed the target at the same time: read it again, then decide.",
  failed_precondition: "The target is not in a state that allows this: read it first.",
  resource_exhausted: "The engine asks for fewer calls: wait, then go on more slowly.",
  unavailable: "The engine is starting, overloaded or shutting down: try again in a moment.",
};

export const BRIDGE_HINTS: Hints = {
  unauthenticated: "The terminal bridge was started anew: the tools have to be started again too.",
  not_found:
    "No such tab: it was closed, or belongs to an earlier start of the app. Run the command again if it is still wanted.",
  resource_exhausted: "Too many tabs are open: wait until one ends, or ask the person to close some.",
  unavailable: "The app that owns the terminals is starting or shutting down: try again in a moment.",
};
