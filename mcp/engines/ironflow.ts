import * as z from "zod/v4";
import { toWireEnum } from "../../engine/contract/enums.ts";
import { HealthResponse, InfoResponse } from "../../engine/contract/operations.ts";
import {
  ConnectRun,
  ConnectStep,
  GetRunStepsResponse,
  ListRunsResponse,
} from "../../engine/contract/runs.ts";
import { splitList } from "../contract/tools/fields.ts";
import { readAnswer } from "./answer.ts";
import { Surfaces, type Operation } from "./connect.ts";
import { EngineError } from "./engine-error.ts";
import { EngineHttp, type EngineHttpOptions } from "./http.ts";
import { answerError } from "./http-errors.ts";
import { restRow, restRunRow, toRun, toRunSummary, toStep } from "./normalise.ts";
import type { Call, Engine } from "./engine.ts";

const RestRun = z.preprocess(restRunRow, ConnectRun);
const RestStep = z.preprocess(restRow, ConnectStep);
const RestRunsPage = z.looseObject({
  runs: z.array(RestRun).default([]),
  total_count: z.number().int().optional(),
});
const RestSteps = z.looseObject({ steps: z.array(RestStep).default([]) });

/** Ironflow over its public wire contract, both eras; the embedded engine serves the same one. */
export class IronflowEngine implements Engine {
  readonly url: string;
  readonly #http: EngineHttp;
  readonly #surfaces: Surfaces;

  constructor(options: EngineHttpOptions) {
    this.#http = new EngineHttp(options);
    this.#surfaces = new Surfaces(this.#http);
    this.url = this.#http.baseUrl;
  }

  async serverInfo(call: Call) {
    const [health, info] = await Promise.all([this.#health(call), this.#info(call)]);
    return {
      status: health.status,
      version: health.version ?? info.version ?? "unknown",
      url: this.url,
      ...info,
      ...(health.warnings === undefined ? {} : { warnings: health.warnings }),
    };
  }

  async listRuns(filter: Parameters<Engine["listRuns"]>[0], call: Call) {
    const answer = await this.#surfaces.send(listRunsOperation(filter), call);
    if (answer.surface === "rest") {
      const page = readAnswer(RestRunsPage, answer.text, "ListRuns");
      return runsPage(page.runs, page.total_count);
    }
    const page = readAnswer(ListRunsResponse, answer.text, "ListRuns");
    return runsPage(page.runs, page.totalCount);
  }

  async getRun(runId: string, call: Call) {
    const answer = await this.#surfaces.send(
      {
        connect: "IronflowService/GetRun",
        message: { id: runId },
        effect: "read",
        rest: { method: "GET", path: `/api/v1/runs/${encodeURIComponent(runId)}`, namesRecord: true },
      },
      call,
    );
    return toRun(readAnswer(answer.surface === "rest" ? RestRun : ConnectRun, answer.text, "GetRun"));
  }

  async getRunSteps(runId: string, call: Call) {
    const answer = await this.#surfaces.send(
      {
        connect: "IronflowService/GetRunSteps",
        message: { runId },
        effect: "read",
        rest: { method: "GET", path: `/api/v1/runs/${encodeURIComponent(runId)}/steps`, namesRecord: true },
      },
      call,
    );
    const schema = answer.surface === "rest" ? RestSteps : GetRunStepsResponse;
    const steps = readAnswer(schema, answer.text, "GetRunSteps").steps.map(toStep);
    return { steps: steps.sort((a, b) => a.sequence - b.sequence), count: steps.length };
  }

  async #health(call: Call) {
    const request = { method: "GET", path: "/health", effect: "read" } as const;
    const answer = await this.#http.send(request, call);
    if (answer.status < 200 || answer.status >= 300) throw answerError(request, answer);
    return readAnswer(HealthResponse, answer.text, "GET /health");
  }

  /** What only an authorised caller is told; health alone needs no key, so a refusal here is an answer, not a failure. */
  async #info(call: Call): Promise<{ version?: string; authorized?: boolean; started_at?: string }> {
    try {
      const answer = await this.#surfaces.send(
        { connect: "IronflowService/Info", message: {}, effect: "read" },
        call,
      );
      const info = readAnswer(InfoResponse, answer.text, "Info");
      return {
        authorized: true,
        ...(info.version === "" ? {} : { version: info.version }),
        ...(info.startedAt === undefined ? {} : { started_at: info.startedAt }),
      };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (error.code === "unauthenticated" || error.code === "permission_denied")
        return { authorized: false };
      if (error.code === "unimplemented") return {};
      throw error;
    }
  }
}

function runsPage(runs: ConnectRun[], total: number | undefined) {
  return { runs: runs.map(toRunSummary), count: runs.length, total_count: total ?? runs.length };
}

function listRunsOperation(filter: Parameters<Engine["listRuns"]>[0]): Operation {
  const statuses = filter.status === undefined ? [] : splitList(filter.status);
  const wireStatuses = statuses.map((status) => toWireEnum("run", status));
  return {
    connect: "IronflowService/ListRuns",
    effect: "read",
    message: {
      limit: filter.limit,
      functionId: filter.function_id,
      since: filter.since,
      until: filter.until,
      search: filter.search,
      eventId: filter.event_id,
      ...(filter.offset > 0 ? { offset: filter.offset } : {}),
      ...(wireStatuses.length === 1 ? { status: wireStatuses[0] } : {}),
      ...(wireStatuses.length > 1 ? { statuses: wireStatuses } : {}),
    },
    rest: {
      method: "GET",
      path: `/api/v1/runs?${query({
        status: statuses.length === 0 ? undefined : statuses.join(","),
        function_id: filter.function_id,
        event_id: filter.event_id,
        search: filter.search,
        since: filter.since,
        until: filter.until,
        limit: filter.limit,
        offset: filter.offset,
      })}`,
    },
    // Engines of the older era skip these fields of the Connect message without a word (contract, section 0.2).
    restFirst:
      statuses.length > 1 ||
      filter.offset > 0 ||
      filter.search !== undefined ||
      filter.event_id !== undefined,
  };
}

/** A query string of the fields that are set. */
function query(fields: Record<string, string | number | undefined>): string {
  const set = new URLSearchParams();
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) set.set(key, String(value));
  return set.toString();
}
