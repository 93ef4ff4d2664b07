import { setTimeout as sleep } from "node:timers/promises";
import { answerPush, type Handler } from "../demo/steps.ts";
import type { PushRequest } from "../contract/push.ts";

/** One job as the engine hands it to a worker (section 4). */
export interface Assignment {
  job_id: string;
  run_id: string;
  function_id: string;
  attempt: number;
  event: PushRequest["event"];
  completed_steps?:
    | { step_id: string; name: string; output?: unknown; status?: string; error?: string }[]
    | null;
  execution_seq?: number | string;
  lease_token?: string;
  lease_expires_at?: string;
}

export interface WorkerAnswer {
  status: number;
  body: Record<string, unknown>;
}

/** The pull-worker protocol over REST, call by call, for tests that drive it by hand. */
export interface WorkerCalls {
  id: string;
  register(functionIds: readonly string[], maxConcurrentJobs?: number): Promise<WorkerAnswer>;
  heartbeat(jobs?: readonly Assignment[]): Promise<WorkerAnswer>;
  poll(available?: number): Promise<{ status: number; jobs: Assignment[] }>;
  ack(job: Assignment): Promise<WorkerAnswer>;
  report(job: Assignment, message: Record<string, unknown>): Promise<WorkerAnswer>;
}

export function workerCalls(url: string, apiKey: string | undefined, id: string): WorkerCalls {
  const send = async (method: string, path: string, body?: unknown): Promise<WorkerAnswer> => {
    const response = await fetch(`${url}/api/v1/workers/${encodeURIComponent(id)}/${path}`, {
      method,
      headers: {
        "x-ironflow-environment": "default",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(apiKey === undefined || apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
  };
  const fence = ({ run_id, execution_seq, lease_token }: Assignment) => ({
    run_id,
    ...(execution_seq === undefined ? {} : { execution_seq }),
    ...(lease_token === undefined ? {} : { lease_token }),
  });
  const pathOf = (job: Assignment) => `jobs/${encodeURIComponent(job.job_id)}`;
  return {
    id,
    register: (functionIds, maxConcurrentJobs = 4) =>
      send("POST", "register", {
        worker_id: id,
        hostname: "test",
        function_ids: functionIds,
        max_concurrent_jobs: maxConcurrentJobs,
        labels: {},
        version: { sdk: "test", runtime: process.version },
      }),
    heartbeat: (jobs = []) =>
      send("POST", "heartbeat", {
        worker_id: id,
        active_jobs: jobs.length,
        jobs: jobs.map((job) => ({ job_id: job.job_id, started_at: new Date().toISOString() })),
      }),
    poll: async (available = 1) => {
      const { status, body } = await send("GET", `jobs?available=${available}`);
      const jobs = (body["jobs"] ?? (body["job_id"] === undefined ? [] : [body])) as Assignment[];
      return { status, jobs };
    },
    ack: (job) => send("PUT", `${pathOf(job)}/ack`, fence(job)),
    report: (job, message) => send("PUT", pathOf(job), { ...fence(job), ...message }),
  };
}

export interface PullWorker {
  /** Takes no further job; resolves when none is under way any more. */
  stop(): Promise<void>;
  /** Says nothing more to the engine from now on, as a killed process would. */
  crash(): Promise<void>;
}

/**
 * A worker as an SDK would run it: registers, polls, acknowledges, checkpoints what it did, reports. It outlives the
 * engine: refused and cut-off calls are tried again after a moment, an unknown worker registers anew.
 * @param url asked before each call, so that it may move with the engine
 */
export function startPullWorker(options: {
  url: () => string | undefined;
  apiKey?: string;
  id: string;
  handlers: Record<string, Handler>;
  idleMs: number;
  /** Hears the ids of steps whose checkpoint the engine acknowledged. */
  onAcknowledged: (stepIds: string[]) => void;
}): PullWorker {
  const end = new AbortController();
  let crashed = false;
  let registeredAt: string | undefined;

  async function turn(): Promise<boolean> {
    const url = options.url();
    if (url === undefined) return false;
    const calls = workerCalls(url, options.apiKey, options.id);
    if (registeredAt !== url) {
      if ((await calls.register(Object.keys(options.handlers))).status !== 200) return false;
      registeredAt = url;
    }
    const { status, jobs } = await calls.poll(4);
    if (status === 404) registeredAt = undefined;
    await Promise.all(jobs.map((job) => execute(calls, job)));
    return jobs.length > 0;
  }

  const alive = () => {
    if (crashed) throw new Error("this worker is dead");
  };

  async function execute(calls: WorkerCalls, job: Assignment): Promise<void> {
    alive();
    if ((await calls.ack(job)).status >= 300) return;
    alive();
    const handler = options.handlers[job.function_id];
    if (handler === undefined) return;
    const known = (job.completed_steps ?? []).map((row) => ({
      id: row.step_id,
      name: row.name,
      status: (row.status ?? "completed") as "completed",
      output: row.output,
      ...(row.error === undefined ? {} : { error: row.error }),
    }));
    const answer = await answerPush({ ...job, steps: known }, handler);
    const { steps, status, result, error, yield: wanted } = answer;
    alive();
    const executed = steps as { id: string; status: string }[];
    if (executed.length > 0) {
      const flushed = await calls.report(job, { status: "progress", steps: executed, step_offset: 0 });
      if (flushed.status >= 300) return;
      options.onAcknowledged(executed.filter((step) => step.status === "completed").map((step) => step.id));
    }
    alive();
    const rest = { steps: [], step_offset: executed.length };
    if (status === "completed") await calls.report(job, { status, output: result, ...rest });
    else if (status === "failed") await calls.report(job, { status, error, ...rest });
    else await calls.report(job, { status, yield: wanted });
  }

  const loop = (async () => {
    while (!end.signal.aborted) {
      const worked = await turn().catch(() => false);
      if (!worked) await sleep(options.idleMs);
    }
  })();
  const stop = async () => {
    end.abort();
    await loop;
  };
  return {
    stop,
    crash: async () => {
      crashed = true;
      await stop();
    },
  };
}
