import * as z from "zod/v4";
import { toTimestamp } from "../../clock.ts";
import { createEnvironment, deleteEnvironment, rotateKey } from "../../execute/environments.ts";
import type { EnvironmentRow } from "../../store/environments.ts";
import { EnvironmentName, readEnvironment, requireAdmin, visibleEnvironments } from "../environments.ts";
import { IdText } from "../fields.ts";
import { method, type ConnectMethod } from "./method.ts";

const shape = (row: EnvironmentRow) => ({
  id: row.id,
  name: row.name,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
});

const byId = z.strictObject({ id: IdText });

/** `ironflow.v1.EnvironmentService`, section 2.7. */
export const environmentMethods: Record<string, ConnectMethod> = {
  CreateEnvironment: method(z.strictObject({ name: EnvironmentName }), (call, { name }) => {
    requireAdmin(call);
    return call.core.writer.write((tx) => {
      const row = createEnvironment(call.core, tx, { name });
      return { ...shape(row), apiKey: rotateKey(call.core, tx, row, call.servedId) };
    });
  }),
  GetEnvironment: method(byId, (call, { id }) => shape(readEnvironment(call, id))),
  ListEnvironments: method(z.strictObject({}), (call) => ({
    environments: visibleEnvironments(call).map(shape),
  })),
  DeleteEnvironment: method(byId, async (call, { id }) => {
    requireAdmin(call);
    await call.core.writer.write((tx) =>
      deleteEnvironment(call.core, tx, readEnvironment(call, id), call.servedId),
    );
    return {};
  }),
  RotateAPIKey: method(byId, (call, { id }) => {
    const row = readEnvironment(call, id);
    return call.core.writer.write((tx) => ({
      ...shape(row),
      apiKey: rotateKey(call.core, tx, row, call.servedId),
    }));
  }),
};
