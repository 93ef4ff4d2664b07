import * as z from "zod/v4";
import { toTimestamp } from "../../clock.ts";
import { method, type ConnectMethod } from "./method.ts";

const nothing = z.strictObject({});

export const serverMethods: Record<string, ConnectMethod> = {
  Health: method(nothing, ({ core }) => ({
    status: "healthy",
    timestamp: toTimestamp(core.clock.nowMs()),
    components: { store: { status: "healthy" } },
  })),
  Info: method(nothing, ({ core, environment, server }) => ({
    version: server.version,
    startedAt: toTimestamp(server.startedAtMs),
    functionCount: core.registry.list(environment.id).length,
    connectedWorkers: core.workers.list(environment.id).length,
    activeRuns: core.store.runs.count(environment.id, ["running", "waiting", "waiting_for_capacity"]),
  })),
};
