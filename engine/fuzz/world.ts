import type { EngineProcess } from "../testing/engine-process.ts";
import { workerCalls, type Assignment } from "../testing/pull-worker.ts";
import type { MutatedRequest } from "./mutations.ts";
import { FUZZED_BUCKET, FUZZED_PROVIDER, PLACES } from "./samples.ts";

/** Runs, events and jobs that exist, for requests to be about. */
export interface World {
  /** Makes some more: requests delete, cancel and redact what there is. */
  refresh(): Promise<void>;
  /** Puts the names of things that exist where the samples have places for them. */
  fill(request: MutatedRequest): MutatedRequest;
}

/** The newest of each kind; older ones have been through enough. */
const kept = 32;
const worker = "w";

export async function createWorld(engine: EngineProcess): Promise<World> {
  const runs: { run: string; event: string }[] = [];
  const jobs: Assignment[] = [];
  const calls = workerCalls(engine.url, engine.key, worker);
  let turn = 0;
  let ingestToken = "";

  async function refresh(): Promise<void> {
    // A request may have changed or deleted them.
    await engine.connect("RegisterFunction", {
      id: "world-push",
      triggers: [{ event: "world" }],
      endpointUrl: "http://127.0.0.1:9/",
      retry: { maxAttempts: 2, initialDelayMs: 1, backoffFactor: 1 },
    });
    await engine.connect("RegisterFunction", {
      id: "world-pull",
      triggers: [{ event: "world" }],
      preferredMode: "EXECUTION_MODE_PULL",
    });
    const { body } = await engine.connect("Emit", { event: "world", data: { n: 1 } });
    for (const run of (body["runIds"] ?? []) as string[])
      runs.unshift({ run, event: String(body["eventId"]) });
    runs.length = Math.min(runs.length, kept);
    await calls.register(["world-pull"]);
    // Refused when it is there.
    await engine.rest("/api/v1/kv/buckets", { name: FUZZED_BUCKET, history: 3 });
    // Told once; refused when it is there.
    const source = await engine.connect("WebhookService/CreateWebhookSource", { provider: FUZZED_PROVIDER });
    if (typeof source.body["ingest_token"] === "string") ingestToken = source.body["ingest_token"];
    const [job] = (await calls.poll(1)).jobs;
    if (job !== undefined) jobs.unshift(job);
    jobs.length = Math.min(jobs.length, kept);
  }

  await refresh();
  return {
    refresh,
    fill: ({ path, body, headers, ...rest }) => {
      turn += 1;
      const [about, job] = [runs[turn % runs.length], jobs[turn % Math.max(1, jobs.length)]];
      const runId = /job_x|lease_x/.test(path + (body?.toString("latin1") ?? "")) ? job?.run_id : about?.run;
      // latin1 maps every byte to one character and back: broken bytes stay broken.
      const put = (text: string) =>
        text
          .replaceAll(PLACES.run, runId ?? PLACES.run)
          .replaceAll(PLACES.event, about?.event ?? PLACES.event)
          .replaceAll(PLACES.job, job?.job_id ?? PLACES.job)
          .replaceAll(PLACES.lease, job?.lease_token ?? PLACES.lease);
      return {
        ...rest,
        headers: path.startsWith("/api/v1/webhooks/")
          ? { authorization: `Bearer ${ingestToken}`, ...headers }
          : headers,
        path: put(path),
        body: body === undefined ? undefined : Buffer.from(put(body.toString("latin1")), "latin1"),
      };
    },
  };
}
