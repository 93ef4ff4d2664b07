import * as z from "zod/v4";
import { toTimestamp } from "../../clock.ts";
import { RestDeleted, RestProject } from "../../contract/directory.ts";
import { createProject, deleteProject, renameProject } from "../../execute/projects.ts";
import type { ProjectRow } from "../../store/environments.ts";
import { requireAdmin } from "../environments.ts";
import { route, type RestRoute } from "./route.ts";

const ProjectName = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(128, "must be at most 128 characters")
  .regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u, "must not hold control or invisible characters");

const shape = (row: ProjectRow) => ({
  id: row.id,
  name: row.name,
  org_id: row.org_id,
  created_at: toTimestamp(row.created_at),
  updated_at: toTimestamp(row.updated_at),
});

/** Section 2.7: projects hold environments, and nothing else. */
export const projectRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/api/v1/projects",
    summary: "List the projects of the environments the key may see",
    answer: z.array(RestProject),
    run: ({ core, admin, environment }) =>
      core.store.environments
        .projects()
        .filter((row) => admin || row.id === environment.project_id)
        .map(shape),
  }),
  route({
    method: "POST",
    path: "/api/v1/projects",
    summary: "Make a project",
    answer: RestProject,
    body: z.strictObject({ name: ProjectName }),
    run: (call, { body }) => {
      requireAdmin(call);
      return call.core.writer.write((tx) =>
        shape(createProject(call.core, tx, call.environment.id, body.name)),
      );
    },
  }),
  route({
    method: "PUT",
    path: "/api/v1/projects/{id}",
    summary: "Give a project another name",
    answer: RestProject,
    body: z.strictObject({ name: ProjectName }),
    run: (call, { params, body }) => {
      requireAdmin(call);
      return call.core.writer.write((tx) =>
        shape(renameProject(call.core, tx, call.environment.id, params.id ?? "", body.name)),
      );
    },
  }),
  route({
    method: "DELETE",
    path: "/api/v1/projects/{id}",
    summary: "Delete a project without environments",
    answer: RestDeleted,
    run: async (call, { params }) => {
      requireAdmin(call);
      await call.core.writer.write((tx) =>
        deleteProject(call.core, tx, call.environment.id, params.id ?? ""),
      );
      return { deleted: true };
    },
  }),
];
