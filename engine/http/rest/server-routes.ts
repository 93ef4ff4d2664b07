import { toTimestamp } from "../../clock.ts";
import type { Core } from "../../core.ts";
import { route, type RestRoute } from "./route.ts";

/** Said to everybody, so without numbers and names. */
function warningsOf(core: Core): { warnings?: string[] } {
  return core.store.secrets.notUnder(core.secretsKeys.current.id).length === 0
    ? {}
    : { warnings: ["some secrets cannot be read with this engine's key and have to be set again"] };
}

export const serverRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/health",
    open: true,
    run: ({ core, server }) => ({
      status: "healthy",
      timestamp: toTimestamp(core.clock.nowMs()),
      version: server.version,
      ...warningsOf(core),
    }),
  }),
  route({ method: "GET", path: "/ready", open: true, run: () => ({ status: "ready" }) }),
  route({
    method: "GET",
    path: "/api/v1/capabilities",
    open: true,
    run: ({ server }) => ({
      transports: ["rest", "connect", "websocket", "connect-stream"],
      features: [
        "push",
        "pull",
        "cron",
        "debounce",
        "concurrency",
        "pause",
        "redact",
        "audit",
        "events",
        "runs",
        "steps",
        "retries",
        "sleep",
        "wait_for_event",
        "invoke",
        "circuit_breakers",
        "dead_letters",
        "kv",
        "secrets",
      ],
      version: server.version,
      auth_required: server.authRequired,
    }),
  }),
  route({
    method: "GET",
    path: "/api/v1/projects",
    run: ({ core }) =>
      core.store.environments.projects().map((row) => ({
        id: row.id,
        name: row.name,
        org_id: row.org_id,
        created_at: toTimestamp(row.created_at),
        updated_at: toTimestamp(row.updated_at),
      })),
  }),
];
