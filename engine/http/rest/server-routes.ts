import { CapabilitiesResponse, HealthResponse, ReadyResponse } from "../../contract/operations.ts";
import { toTimestamp } from "../../clock.ts";
import type { Core } from "../../core.ts";
import { encodeJson } from "../../json/json-text.ts";
import { METRICS_TYPE, metricsText } from "../metrics.ts";
import { readIssues } from "../readiness.ts";
import { Reply, route, type RestRoute } from "./route.ts";

/** Said to everybody, so without numbers and names. */
function warningsOf(core: Core): { warnings?: string[] } {
  return core.store.sealed.anyNotUnder(core.secretsKeys.current.id)
    ? { warnings: ["some secrets cannot be read with this engine's key and have to be set again"] }
    : {};
}

export const serverRoutes: RestRoute[] = [
  route({
    method: "GET",
    path: "/health",
    summary: "Whether the engine answers, and its version",
    answer: HealthResponse,
    open: true,
    run: ({ core, server }) => ({
      status: "healthy",
      timestamp: toTimestamp(core.clock.nowMs()),
      version: server.version,
      ...warningsOf(core),
    }),
  }),
  route({
    method: "GET",
    path: "/ready",
    summary: "Whether the engine can do its work",
    answer: ReadyResponse,
    open: true,
    run: async ({ core }) => {
      const issues = await readIssues(core);
      if (Object.keys(issues).length === 0) return { status: "ready" };
      return new Reply(503, "application/json", encodeJson({ status: "not_ready", issues }));
    },
  }),
  route({
    method: "GET",
    path: "/metrics",
    summary: "Numbers for Prometheus",
    text: true,
    open: true,
    run: (call) => new Reply(200, METRICS_TYPE, metricsText(call)),
  }),
  route({
    method: "GET",
    path: "/api/v1/capabilities",
    summary: "What this server can do",
    answer: CapabilitiesResponse,
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
        "sql",
        "kv",
        "streams",
        "projections",
        "metrics",
        "topics",
        "flow",
        "time_travel",
        "openapi",
        "secrets",
        "outbox",
        "agent_tools",
        "projects",
        "environments",
        "config",
      ],
      version: server.version,
      auth_required: server.authRequired,
    }),
  }),
];
