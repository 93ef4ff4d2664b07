import * as z from "zod/v4";
import { HealthResponse, InfoResponse } from "../../../engine/contract/operations.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import type { Call } from "../../upstream/http.ts";
import type { Engine } from "../engine.ts";
import { readAnswer } from "../../upstream/answer.ts";
import { answerError } from "../../upstream/http-errors.ts";
import { isMissingRestRoute, notServed } from "./missing.ts";
import { time } from "./normalise.ts";
import { toEventSummary } from "./records.ts";
import { answerTo, restCall, type Wire } from "./wire.ts";

type ServerCalls = Pick<Engine, "serverInfo" | "overview" | "openapi">;

/** The document is handed on as it came; this is only how it is told from an error page. */
const OpenapiDocument = z.looseObject({ openapi: z.string(), paths: z.unknown() });

const RECENT_ROWS = 10;
const DAY_MS = 24 * 60 * 60 * 1000;

/** `lists` are the engine's own calls; the overview is put together from them, there is no route for it (contract: U). */
export function serverCalls(wire: Wire, lists: Pick<Engine, "listRuns" | "listEvents">): ServerCalls {
  const readInfo = async (call: Call) => {
    const operation = { connect: "IronflowService/Info", message: {}, effect: "read" } as const;
    const { text } = await wire.surfaces.send(operation, call);
    return readAnswer(InfoResponse, text, answerTo("Info"));
  };

  return {
    serverInfo: async (call) => {
      const [health, known] = await Promise.all([
        restCall(wire, { method: "GET", path: "/health", effect: "read" }, HealthResponse, call),
        authorizedInfo(readInfo(call)),
      ]);
      const startedAt = time(known.info?.startedAt);
      return {
        status: health.status,
        version: health.version ?? (known.info?.version || "unknown"),
        url: wire.http.baseUrl,
        ...(known.authorized === undefined ? {} : { authorized: known.authorized }),
        ...(startedAt === undefined ? {} : { started_at: startedAt }),
        ...(health.warnings === undefined ? {} : { warnings: health.warnings }),
      };
    },

    openapi: async (call) => {
      const request = { method: "GET", path: "/api/v1/openapi.json", effect: "read" } as const;
      const answer = await wire.http.send(request, call);
      if (isMissingRestRoute(answer, undefined)) throw notServed("GET /api/v1/openapi.json");
      if (answer.status < 200 || answer.status >= 300) throw answerError(wire.http.peer, request, answer);
      readAnswer(OpenapiDocument, answer.text, answerTo("GET /api/v1/openapi.json"));
      return answer.text;
    },

    overview: async (call) => {
      const since = new Date(Date.now() - DAY_MS).toISOString();
      const [info, failed, paused, recent, events] = await Promise.all([
        readInfo(call),
        lists.listRuns({ limit: 1, offset: 0, status: "failed", since }, call),
        lists.listRuns({ limit: 1, offset: 0, status: "paused" }, call),
        lists.listRuns({ limit: RECENT_ROWS, offset: 0 }, call),
        lists.listEvents({ limit: RECENT_ROWS }, call),
      ]);
      return {
        function_count: info.functionCount,
        active_runs: info.activeRuns,
        connected_workers: info.connectedWorkers,
        failed_runs_24h: failed.total_count,
        paused_runs: paused.total_count,
        recent_runs: recent.runs,
        recent_events: events.events.map(toEventSummary),
      };
    },
  };
}

/** Health needs no key, so a refusal here is an answer to "are we let in", not a failure; so is a missing method. */
async function authorizedInfo<Info>(reading: Promise<Info>): Promise<{ info?: Info; authorized?: boolean }> {
  try {
    return { info: await reading, authorized: true };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    if (error.code === "unauthenticated" || error.code === "permission_denied") return { authorized: false };
    if (error.code === "unimplemented") return {};
    throw error;
  }
}
