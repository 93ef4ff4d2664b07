import type { Database } from "./database.ts";

/** Who does what to what; learned when it happens, kept until the function is deleted. */
export type FlowKind = "emit" | "invoke" | "stream" | "topic" | "wait";

export interface FlowEdge {
  /** A function's id; of `stream` an entity type. */
  source: string;
  /** An event's name, a function's id, a topic. */
  target: string;
}

export interface FlowTable {
  /** In order of source, then target. */
  edges(environmentId: string, kind: FlowKind): FlowEdge[];
}

/** The table is filled by triggers, so that no way to write an event or a run can forget it. */
export function createFlowTable(db: Database): FlowTable {
  const edges = db.prepare<FlowEdge>(
    "select source, target from flow_edges where environment_id = ? and kind = ? order by source, target",
  );
  return { edges: (environmentId, kind) => edges.all(environmentId, kind) };
}
