import type { ToolHandlers } from "./handler.ts";

export const projectionHandlers: ToolHandlers<
  | "ironflow_list_projections"
  | "ironflow_projection_status"
  | "ironflow_rebuild_projection_status"
  | "ironflow_rebuild_projection"
> = {
  ironflow_list_projections: (page, { engine, signal }) => engine.listProjections(page, { signal }),
  ironflow_projection_status: ({ name }, { engine, signal }) => engine.projectionStatus(name, { signal }),
  ironflow_rebuild_projection_status: ({ name }, { engine, signal }) =>
    engine.rebuildStatus(name, { signal }),
  ironflow_rebuild_projection: (input, { engine, signal }) => engine.rebuildProjection(input, { signal }),
};
