import * as z from "zod/v4";
import { toTimestamp } from "../../clock.ts";
import { IdText } from "../fields.ts";
import { route, type RestRoute } from "./route.ts";

export const environmentRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/api/v1/environments",
    query: z.strictObject({ project_id: IdText.optional() }),
    run: ({ core }, { query }) =>
      core.store.environments
        .environments()
        .filter((row) => query.project_id === undefined || row.project_id === query.project_id)
        .map((row) => ({
          id: row.id,
          name: row.name,
          color: row.color,
          project_id: row.project_id,
          created_at: toTimestamp(row.created_at),
          updated_at: toTimestamp(row.updated_at),
        })),
  }),
];
