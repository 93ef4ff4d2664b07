import { setTimeout as sleep } from "node:timers/promises";
import { ListRunsResponse } from "../contract/runs.ts";
import type { EngineFactory } from "../testing/engine-process.ts";
import { createClient, type Client } from "./client.ts";
import { functionName } from "./seed.ts";
import { median, residentMb, timeEach } from "./stats.ts";

export interface Lists {
  /** Samples in ms of each filter's first page. */
  firstPageMs: Record<string, number[]>;
  /** Samples in ms of the page asked for last, by offset and by cursor. */
  deepPageMs: Record<string, number[]>;
  rssRestMb: number;
}

const pageSize = 50;
/** What an engine may need after its ready line until it is at rest, ms. */
const restAfterMs = 3_000;

/** First pages under several filters, a deep page by offset and by cursor, and the engine's memory before any of it. */
export async function measureLists(
  factory: EngineFactory,
  dataDir: string,
  { samples, page, say }: { samples: number; page: number; say: (line: string) => void },
): Promise<Lists> {
  const engine = await factory.start({ dataDir, flags: [] });
  const client = createClient(engine.url, engine.key);
  try {
    await sleep(restAfterMs);
    const rssRestMb = residentMb(engine.pid);
    say(`at rest: ${rssRestMb.toFixed(0)} MB`);
    const firstPageMs: Record<string, number[]> = {};
    for (const [name, ask] of Object.entries(firstPages(client))) {
      firstPageMs[name] = await timeEach(samples, ask);
      say(`first page, ${name}: median ${median(firstPageMs[name]).toFixed(1)} ms`);
    }
    const filter = { statuses: ["completed"], limit: pageSize };
    const deepPageMs: Record<string, number[]> = {
      offset: await timeEach(samples, () =>
        client.rpc("ListRuns", { ...filter, offset: (page - 1) * pageSize }),
      ),
    };
    const cursor = await cursorBefore(client, filter, page);
    deepPageMs["cursor"] = await timeEach(samples, () => client.rpc("ListRuns", { ...filter, cursor }));
    for (const [name, times] of Object.entries(deepPageMs))
      say(`page ${page} by ${name}: median ${median(times).toFixed(1)} ms`);
    return { firstPageMs, deepPageMs, rssRestMb };
  } finally {
    client.close();
    await engine.end("SIGTERM");
  }
}

/** Each sample asks about another function, so that no page is answered from what the last one left in memory. */
function firstPages(client: Client): Record<string, (index: number) => Promise<unknown>> {
  const since = new Date(Date.now() - 10 * 86_400_000).toISOString();
  const until = new Date(Date.now() - 5 * 86_400_000).toISOString();
  const runs = (filter: Record<string, unknown>) => client.rpc("ListRuns", { limit: pageSize, ...filter });
  return {
    "no filter": () => runs({}),
    function: (n) => runs({ functionId: functionName(n) }),
    status: () => runs({ statuses: ["failed"] }),
    "function and status": (n) => runs({ functionId: functionName(n), statuses: ["failed"] }),
    "function, two statuses and time": (n) =>
      runs({ functionId: functionName(n), statuses: ["failed", "paused"], since, until }),
    "era A, function and status": (n) =>
      client.get(`/api/v1/runs?function_id=${functionName(n)}&status=failed,paused&limit=${pageSize}`),
    "events by name": () => client.get(`/api/v1/events?names=order.paid&limit=${pageSize}`),
    "events by name and time": () =>
      client.get(`/api/v1/events?names=order.paid&since=${since}&until=${until}&limit=${pageSize}`),
  };
}

/** Walks to the page before the wanted one, a thousand rows at a time, and gives the cursor of its end. */
async function cursorBefore(client: Client, filter: Record<string, unknown>, page: number): Promise<string> {
  let left = (page - 1) * pageSize;
  let cursor = "";
  while (left > 0) {
    const limit = Math.min(1_000, left);
    const answer = await client.rpc("ListRuns", { ...filter, limit, ...(cursor === "" ? {} : { cursor }) });
    const { nextCursor } = ListRunsResponse.parse(answer);
    cursor = nextCursor;
    if (cursor === "") throw new Error(`there are fewer than ${page} pages`);
    left -= limit;
  }
  return cursor;
}
