import * as z from "zod/v4";
import { ListWorkersResponse, RestEnvironment, RestProject } from "../../../engine/contract/directory.ts";
import {
  ListBreakerFailuresResponse,
  ListDeadLettersResponse,
  RestBreaker,
} from "../../../engine/contract/operations.ts";
import type { Engine } from "../engine.ts";
import { toBreaker, toBreakerFailure, toDeadLetter, toEnvironment, toProject, toWorker } from "./records.ts";
import { query, restCall, type RestRequest, type Wire } from "./wire.ts";

type OperationCalls = Pick<
  Engine,
  | "listProjects"
  | "listEnvironments"
  | "listWorkers"
  | "listBreakers"
  | "listBreakerFailures"
  | "resetBreaker"
  | "listDeadLetters"
>;

const get = (path: string): RestRequest => ({ method: "GET", path, effect: "read" });

/** Lists that Go writes as `null` when they are empty. */
const rows = <Row extends z.ZodType>(row: Row) =>
  z
    .array(row)
    .nullable()
    .transform((list) => list ?? []);

export function operationCalls(wire: Wire): OperationCalls {
  return {
    listProjects: async (call) => {
      const projects = await restCall(wire, get("/api/v1/projects"), rows(RestProject), call);
      return { items: projects.map(toProject) };
    },

    listEnvironments: async ({ project_id }, call) => {
      const path = `/api/v1/environments${query({ project_id })}`;
      const environments = await restCall(wire, get(path), rows(RestEnvironment), call);
      return { items: environments.map(toEnvironment) };
    },

    listWorkers: async (call) => {
      const answer = await restCall(wire, get("/api/v1/workers"), ListWorkersResponse, call);
      const workers = (answer.workers ?? []).map(toWorker);
      return { workers, count: workers.length };
    },

    listBreakers: async (call) => {
      const breakers = await restCall(wire, get("/api/v1/circuit-breakers"), rows(RestBreaker), call);
      return { items: breakers.map(toBreaker) };
    },

    listBreakerFailures: async (key, call) => {
      const path = `/api/v1/circuit-breakers/${encodeURIComponent(key)}/failures`;
      const page = await restCall(
        wire,
        { ...get(path), namesRecord: true },
        ListBreakerFailuresResponse,
        call,
      );
      const failures = page.failures.map(toBreakerFailure);
      return { failures, count: failures.length };
    },

    resetBreaker: async (key, call) => {
      const path = `/api/v1/circuit-breakers/${encodeURIComponent(key)}/reset`;
      const request = { method: "POST", path, effect: "repeatable", namesRecord: true } as const;
      return toBreaker(await restCall(wire, request, RestBreaker, call));
    },

    // The route of the real engine is not public; this is the embedded engine's (see engine/contract).
    listDeadLetters: async ({ env, source, limit, offset }, call) => {
      const path = `/api/v1/dead-letters${query({ env, source, limit, offset })}`;
      const page = await restCall(wire, get(path), ListDeadLettersResponse, call);
      return {
        items: page.items.map(toDeadLetter),
        total: page.total,
        limit: page.limit ?? limit,
        offset: page.offset ?? offset,
      };
    },
  };
}
