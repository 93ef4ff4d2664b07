import * as z from "zod/v4";
import { ListWorkersResponse } from "../../contract/directory.ts";
import { RestStatus } from "../../contract/rest-runs.ts";
import {
  AckRequest,
  HeartbeatRequest,
  JobReport,
  RegisterWorkerRequest,
  WorkerId,
} from "../../contract/workers.ts";
import { toTimestamp } from "../../clock.ts";
import { ApiError } from "../../errors.ts";
import { ackJob, claimJobs, jobIdOf, renewJobs, reportJob, type Lease } from "../../execute/jobs.ts";
import { buildAssignment } from "../../execute/push-body.ts";
import type { Worker } from "../../execute/workers.ts";
import type { Call } from "../call.ts";
import { queryInt } from "../fields.ts";
import { restWorker } from "../shapes.ts";
import { NO_CONTENT, route, type RestRoute, type Verb } from "./route.ts";

/** A worker gets no more jobs than this at once, whatever it asks for. */
const maxJobsPerPoll = 100;

function workerIdOf(params: Record<string, string>): string {
  const id = WorkerId.safeParse(params.id);
  if (id.success) return id.data;
  throw new ApiError("invalid_argument", `worker id: ${id.error.issues[0]?.message ?? "invalid"}`);
}

/** @throws ApiError not_found: the worker has to register (again) */
function heard(call: Call, id: string, activeJobs?: number): Worker {
  const worker = call.core.workers.heard(call.environment.id, id, activeJobs);
  if (worker === undefined) throw new ApiError("not_found", "worker not registered");
  return worker;
}

function leaseOf(params: Record<string, string>, body: z.output<typeof AckRequest>): Lease {
  return {
    workerId: workerIdOf(params),
    jobId: params.job ?? "",
    executionSeq: body.execution_seq,
    leaseToken: body.lease_token,
  };
}

const register = (method: Verb) =>
  route({
    method,
    path: "/api/v1/workers/{id}/register",
    summary: "Register a pull worker",
    answer: RestStatus,
    body: RegisterWorkerRequest,
    run: ({ core, environment }, { params, body }) => {
      core.workers.register({
        id: workerIdOf(params),
        environmentId: environment.id,
        hostname: body.hostname,
        functionIds: body.function_ids,
        maxConcurrent: body.max_concurrent_jobs,
        labels: body.labels ?? {},
        version: { sdk: body.version?.sdk, runtime: body.version?.runtime },
      });
      return { status: "registered" };
    },
  });

const heartbeat = (method: Verb) =>
  route({
    method,
    path: "/api/v1/workers/{id}/heartbeat",
    summary: "Say that a pull worker is still there",
    answer: RestStatus,
    body: HeartbeatRequest,
    run: async (call, { params, body }) => {
      const worker = heard(call, workerIdOf(params), body.active_jobs);
      const jobIds = (body.jobs ?? []).map((job) => job.job_id);
      if (jobIds.length > 0) {
        await call.core.writer.write((tx) => renewJobs(call.core, tx, worker, jobIds));
      }
      return { status: "ok" };
    },
  });

/** Pull workers, section 4. */
/** What a platform may ask about its tenants (section 2.8). */
const capacityKinds = ["stats", "lanes", "queue", "leases", "buckets", "sessions", "credits"];

export const workerRoutes: RestRoute[] = [
  ...capacityKinds.map((kind) =>
    route({
      method: "GET",
      path: `/api/v1/capacity/${kind}`,
      summary: "Capacity, which only platform keys may see",
      query: z.looseObject({}),
      run: () => {
        throw new ApiError("permission_denied", "platform credentials required");
      },
    }),
  ),
  route({
    method: "GET",
    path: "/api/v1/workers",
    summary: "List connected pull workers",
    answer: ListWorkersResponse,
    run: ({ core, environment }) => {
      const workers = core.workers.list(environment.id).map(restWorker);
      return { workers, count: workers.length };
    },
  }),
  register("POST"),
  register("PUT"),
  heartbeat("POST"),
  heartbeat("PUT"),
  route({
    method: "GET",
    path: "/api/v1/workers/{id}/jobs",
    summary: "Take jobs",
    query: z.strictObject({ available: queryInt(0, 1_000_000).optional() }),
    run: async (call, { params, query }) => {
      const { core } = call;
      const worker = heard(call, workerIdOf(params));
      const limit = Math.min(query.available ?? 1, maxJobsPerPoll);
      const ready = worker.functionIds.some(
        (id) => core.store.runs.countReady(worker.environmentId, id, 1) > 0,
      );
      // Most polls find nothing, and then nothing is written.
      if (limit === 0 || !ready) return NO_CONTENT;
      const jobs = await core.writer.write((tx) => claimJobs(core, tx, worker, limit));
      if (jobs.length === 0) return NO_CONTENT;
      return {
        jobs: jobs.map(({ run, secrets }) => ({
          job_id: jobIdOf(run),
          ...buildAssignment(core.store, run, secrets),
          lease_expires_at: toTimestamp(run.lease_expires_at ?? 0),
        })),
      };
    },
  }),
  route({
    method: "PUT",
    path: "/api/v1/workers/{id}/jobs/{job}/ack",
    summary: "Acknowledge a job before it is worked on",
    body: AckRequest,
    run: async ({ core, environment }, { params, body }) => {
      const lease = leaseOf(params, body);
      const run = await core.writer.write((tx) => ackJob(core, tx, environment.id, lease));
      return { status: "acked", lease_expires_at: toTimestamp(run.lease_expires_at ?? 0) };
    },
  }),
  route({
    method: "PUT",
    path: "/api/v1/workers/{id}/jobs/{job}",
    summary: "Report on a job",
    answer: RestStatus,
    body: JobReport,
    run: async ({ core, environment }, { params, body }) => {
      const lease = leaseOf(params, body);
      await core.writer.write((tx) => reportJob(core, tx, environment.id, lease, body));
      return { status: "ok" };
    },
  }),
];
