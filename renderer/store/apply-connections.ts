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
