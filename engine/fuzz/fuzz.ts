import { request } from "node:http";
import * as fc from "fast-check";
import * as z from "zod/v4";
import { connectMethods, connectStreams } from "../http/connect/methods.ts";
import type { EngineProcess } from "../testing/engine-process.ts";
import { mutatedRequest, type MutatedRequest } from "./mutations.ts";
import { samplesOf } from "./samples.ts";
import { createWorld } from "./world.ts";

export interface FuzzOptions {
  engine: EngineProcess;
  seed: number;
  /** Stops after so long, ms, or so many batches, whichever is first. */
  forMs: number;
  batches: number;
}

export interface FuzzResult {
  requests: number;
  /** How often each status was answered. */
  statuses: Record<number, number>;
  /** Routes and methods that the mutations began with. */
  samples: number;
  /** What was wrong with the smallest batch that shows it; undefined when nothing was. */
  fault: string | undefined;
}

/** How long an answer may take. Longer than the wait of a synchronous call whose own timeout a mutation took away: 30 s. */
const deadlineMs = 40_000;
/** Requests that are sent at once. */
const batchSize = 8;
/** Batches after which there are new runs and jobs to be about. */
const refreshEvery = 4;

/** What no answer may hold: a stack, a path of this program, the text of an inner error. */
const leaks = [
  /\n\s+at /,
  /node:internal/,
  /\.(ts|cjs|mjs|js):\d+/,
  /SQLITE|SqliteError|sqlite3?_/i,
  /undefined is not|is not a function|Cannot read prop/,
  /engine\.db/,
];

interface Reply {
  status: number;
  text: string;
}

/** Sends mutated requests to every route and method; the engine must refuse or serve each, soon and without a stack. */
export async function fuzz({ engine, seed, forMs, batches }: FuzzOptions): Promise<FuzzResult> {
  const samples = samplesOf([...connectMethods.keys(), ...connectStreams.keys()], await servedRoutes(engine));
  const world = await createWorld(engine);
  const statuses: Record<number, number> = {};
  let requests = 0;
  let batchesDone = 0;

  const send = async (mutated: MutatedRequest): Promise<void> => {
    requests += 1;
    const { status, text } = await reply(engine, world.fill(mutated));
    statuses[status] = (statuses[status] ?? 0) + 1;
    const fault = faultOf(status, text);
    if (fault !== undefined)
      throw new Error(`${fault}: ${mutated.method} ${mutated.path} -> ${status} ${text.slice(0, 500)}`);
  };
  const property = fc.asyncProperty(
    fc.array(mutatedRequest(samples), { minLength: 1, maxLength: batchSize }),
    async (batch) => {
      if (batchesDone++ % refreshEvery === 0) await world.refresh();
      await Promise.all(batch.map(send));
      const health = await reply(engine, { method: "GET", path: "/health", headers: {}, body: undefined });
      if (health.status !== 200) throw new Error(`the engine is not healthy: ${health.status}`);
      if (/"level":(50|60)/.test(engine.stderr()))
        throw new Error(`the engine logged an error: ${lastError(engine.stderr())}`);
    },
  );
  const details = await fc.check(property, {
    seed,
    numRuns: batches,
    interruptAfterTimeLimit: forMs,
    markInterruptAsFailure: false,
    ignoreEqualValues: true,
  });
  const fault = details.failed
    ? `${String(details.errorInstance)}\nsmallest batch: ${fc.stringify(details.counterexample)}\nseed ${details.seed}, path ${details.counterexamplePath}`
    : undefined;
  return { requests, statuses, samples: samples.length, fault };
}

const Served = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

/** The REST routes as the engine itself describes them. */
async function servedRoutes(engine: EngineProcess): Promise<{ method: string; path: string }[]> {
  const { body } = await engine.rest("/api/v1/openapi.json");
  return Object.entries(Served.parse(body).paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({ method: method.toUpperCase(), path })),
  );
}

/** Statuses of the contract: 500 and what proxies send are none of them. */
function faultOf(status: number, text: string): string | undefined {
  if (status >= 500 && status !== 501 && status !== 503 && status !== 504) return "a server error";
  const leak = leaks.find((pattern) => pattern.test(text));
  return leak === undefined ? undefined : `an answer with ${String(leak)}`;
}

function lastError(stderr: string): string {
  return (
    stderr
      .split("\n")
      .findLast((line) => /"level":(50|60)/.test(line))
      ?.slice(0, 1_000) ?? ""
  );
}

/** A stream has no end of its own: its first bytes are its answer. */
function reply(engine: EngineProcess, { method, path, headers, body }: MutatedRequest): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const url = new URL(engine.url);
    const call = request({
      host: url.hostname,
      port: url.port,
      method,
      path: encodeUnsafe(path),
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json", "content-length": body.length }),
        ...(engine.key === "" ? {} : { authorization: `Bearer ${engine.key}` }),
        ...headers,
      },
    });
    const timer = setTimeout(() => {
      call.destroy();
      reject(new Error(`no answer within ${deadlineMs} ms: ${method} ${path}`));
    }, deadlineMs);
    const finish = (status: number, text: string) => {
      clearTimeout(timer);
      resolve({ status, text });
    };
    call.on("response", (response) => {
      const parts: Buffer[] = [];
      const status = response.statusCode ?? 0;
      const done = () => finish(status, Buffer.concat(parts).toString("utf8"));
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", done);
      response.on("error", done);
      if (String(response.headers["content-type"]).startsWith("application/connect+json"))
        setTimeout(() => call.destroy(), 50);
      response.on("close", done);
    });
    // The guard cuts a connection it does not understand; that is an answer too.
    call.on("error", () => finish(0, ""));
    call.end(body);
  });
}

/** Node's client refuses to send these itself; the engine has to see the rest as it is. */
function encodeUnsafe(path: string): string {
  return path.replace(/[^!-~]/g, (char) => encodeURIComponent(char));
}
