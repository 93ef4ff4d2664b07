import type { Connection } from "../../electron/contract/connection.ts";
import type { ToolError } from "../../mcp/contract/errors.ts";
import { appFailure, messageOf } from "./answer.ts";
import { applyConnections, currentOf } from "./apply-connections.ts";
import { applyAnswer, LOADING, type Reading } from "./reading.ts";
import type { Slice } from "./slice.ts";

export type ConnectionSlice = {
  connections: Reading<readonly Connection[]>;
  /** Which engine the pages show; null until the first list. */
  connectionId: string | null;
  /** Why the last restart did not happen. */
  restartProblem: string | null;
  restartConnection: () => Promise<void>;
  /** Why the last change of who may write was not made, and whose it was. */
  writesProblem: { readonly who: "person" | "agents"; readonly error: ToolError } | null;
  /** The change that waits for an answer in the consent window. */
  writesUnderWay: "person" | "agents" | null;
  /** Allowing asks first; taking it away happens at once. */
  setWrites: (who: "person" | "agents", allowed: boolean) => Promise<void>;
  /** Reads the list and follows it until called off. */
  followConnections: () => () => void;
};

export const connectionSlice: Slice<ConnectionSlice> = (set, get, deps) => {
  function apply(connections: readonly Connection[]) {
    const before = get();
    const change = applyConnections(before, connections, deps.clock.now());
    set(change.state);
    if (change.readAgain) deps.changes.tellEverything();
  }
  return {
    connections: LOADING,
    connectionId: null,
    restartProblem: null,
    async restartConnection() {
      const connection = currentOf(get());
      if (connection === undefined) return;
      set({ restartProblem: null });
      try {
        await deps.door.request("connections:restart", { connection: connection.id });
      } catch (error) {
        set({ restartProblem: messageOf(error) });
      }
    },
    writesProblem: null,
    writesUnderWay: null,
    async setWrites(who, allowed) {
      const connection = currentOf(get());
      if (connection === undefined || get().writesUnderWay !== null) return;
      set({ writesProblem: null, writesUnderWay: who });
      try {
        const request = { connection: connection.id, who, allowed };
        const answer = await deps.door.request("connections:set-writes", request);
        if (!answer.ok) set({ writesProblem: { who, error: answer.error } });
        // The list of connections tells the same to every page.
      } catch (error) {
        const lost = { error: messageOf(error), code: "app_unreachable", retryable: true } as const;
        set({ writesProblem: { who, error: lost } });
      }
      set({ writesUnderWay: null });
    },
    followConnections() {
      const stopListening = deps.door.listen("connections:changed", apply);
      const stopChanges = deps.door.listen("data:changed", ({ connection, topic }) => {
        if (connection === get().connectionId) deps.changes.tell(topic);
      });
      deps.door.request("connections:list", {}).then(apply, (error: unknown) => {
        const answer = appFailure(messageOf(error), "app_unreachable");
        set({ connections: applyAnswer(get().connections, answer, deps.clock.now()) });
      });
      return () => {
        stopListening();
        stopChanges();
      };
    },
  };
};
