import type { Connection } from "../contract/connection.ts";
import type { EngineConnection } from "../../mcp/contract/live.ts";
import type { ChildState } from "../children/supervisor.ts";

type State = Pick<Connection, "state" | "live" | "problem">;

/**
 * What a connection's state is, from its parts: the engine process (embedded engines only), its tool server, and what the
 * tool server last said about the engine.
 */
export function connectionState(
  engine: ChildState<unknown> | undefined,
  tools: ChildState<unknown>,
  seen: EngineConnection | undefined,
): State {
  for (const child of [engine, tools]) {
    if (child?.name === "crashed") return { state: "crashed", live: "none", problem: child.problem };
  }
  for (const child of [engine, tools]) {
    if (child?.name === "starting") return { state: "starting", live: "none", ...problemOf(child.problem) };
  }
  if (seen === undefined || seen.state === "connecting") return { state: "starting", live: "none" };
  return { state: seen.state, live: seen.live, ...problemOf(seen.error) };
}

const problemOf = (problem: string | undefined) => (problem === undefined ? {} : { problem });
