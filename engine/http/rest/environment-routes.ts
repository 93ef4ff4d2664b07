import * as z from "zod/v4";
import { RestEnvironment } from "../../contract/directory.ts";
import { RestStatus } from "../../contract/rest-runs.ts";
import { toTimestamp } from "../../clock.ts";
import { createEnvironment, deleteEnvironment, updateEnvironment } from "../../execute/environments.ts";
import type { EnvironmentRow } from "../../store/environments.ts";
import {
  Color,
  EnvironmentName,
  readEnvironment,
  requireAdmin,
  visibleEnvironments,
} from "../environments.ts";
import { IdText } from "../fields.ts";
import { route, type RestRoute } from "./route.ts";

const shape = (row: EnvironmentRow) => ({
  id: row.id,
  name: row.name,
  color: row.color,
  project_id: row.project_id,
  created_at: toTimestamp(row.created_at),
  updated_at: toTimestamp(row.updated_at),
});

export const environmentRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/api/v1/environments",
    summary: "List the environments the key may see",
    answer: z.array(RestEnvironment),
    query: z.strictObject({ project_id: IdText.optional() }),
    run: (call, { query }) =>
      visibleEnvironments(call)
        .filter((row) => query.project_id === undefined || row.project_id === query.project_id)
        .map(shape),
  }),
  route({
    method: "POST",
    path: "/api/v1/environments",
    summary: "Make an environment",
    answer: RestEnvironment,
    body: z.strictObject({ name: EnvironmentName, project_id: IdText.nullish(), color: Color.nullish() }),
    run: (call, { body }) => {
      requireAdmin(call);
      return call.core.writer.write((tx) =>
        shape(
          createEnvironment(call.core, tx, {
            name: body.name,
            projectId: body.project_id ?? undefined,
            color: body.color ?? undefined,
          }),
        ),
      );
    },
  }),
  route({
    method: "PUT",
    path: "/api/v1/environments/{id}",
    summary: "Change an environment's name and color",
    answer: RestEnvironment,
    body: z
      .strictObject({ name: EnvironmentName.optional(), color: Color.nullish() })
      .refine((body) => body.name !== undefined || (body.color ?? undefined) !== undefined, {
        message: "name or color is required",
      }),
    run: (call, { params, body }) => {
      requireAdmin(call);
      return call.core.writer.write((tx) => {
        const row = readEnvironment(call, params.id ?? "");
        const wanted = { name: body.name, color: body.color ?? undefined };
        return shape(updateEnvironment(call.core, tx, row, wanted, call.servedId));
      });
    },
  }),
  route({
    method: "DELETE",
    path: "/api/v1/environments/{id}",
    summary: "Delete an environment that is not used",
    answer: RestStatus,
    run: async (call, { params }) => {
      requireAdmin(call);
      await call.core.writer.write((tx) =>
        deleteEnvironment(call.core, tx, readEnvironment(call, params.id ?? ""), call.servedId),
      );
      return { status: "deleted" };
    },
  }),
];
