import type { Connection } from "../../electron/contract/connection.ts";
import { dataOf, type Reading } from "./reading.ts";

type Shown = {
  readonly connections: Reading<readonly Connection[]>;
  readonly connectionId: string | null;
};

/** The engine that the pages show. */
export function currentOf(state: Shown): Connection | undefined {
  return dataOf(state.connections)?.find(({ id }) => id === state.connectionId);
}

/** Whether the bar above every page says what is wrong with the engine. */
export const isAway = ({ state }: Connection): boolean => state !== "connected" && state !== "starting";

/**
 * Why there is no current answer, where the page has to say it: not a second time what the bar above it says already.
 * @param reason what the last reading of the page heard; null when it heard nothing
 */
export function reasonToSay(connection: Connection | undefined, reason: string | null): string | null {
  if (connection === undefined || connection.state === "connected") return reason;
  if (!isAway(connection)) return reason ?? connection.problem ?? "the engine does not answer";
  return reason === connection.problem ? null : reason;
}

/**
 * Applies a new list of connections. The choice stays while it exists. `readAgain`: the engine shown is another one, or
 * answers again after it did not, so whatever was read before may be wrong.
 */
export function applyConnections(
  before: Shown,
  connections: readonly Connection[],
  at: number,
): { state: Shown; readAgain: boolean } {
  const kept = connections.some(({ id }) => id === before.connectionId);
  const connectionId = kept ? before.connectionId : (connections[0]?.id ?? null);
  const state: Shown = { connections: { phase: "ready", data: connections, at }, connectionId };
  const wasConnected = currentOf(before)?.state === "connected";
  const isConnected = currentOf(state)?.state === "connected";
  const other = connectionId !== before.connectionId;
  return { state, readAgain: connectionId !== null && (other || (isConnected && !wasConnected)) };
}
