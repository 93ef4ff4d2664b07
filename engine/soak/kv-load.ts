import type { EngineProcess } from "../testing/engine-process.ts";
import type { KvLedger } from "./kv-ledger.ts";

export const KV_BUCKET = "APP_soak";
/** The key whose value every writer counts up. */
export const KV_COUNTER = "counter";

/** Clients that make keys and count one up together. */
export interface KvLoad {
  register(engine: EngineProcess): Promise<void>;
  /** Writes until the engine is gone or `signal` says so. */
  run(engine: EngineProcess, signal: AbortSignal): Promise<void>;
}

const counters = 2;

export function createKvLoad(ledger: KvLedger): KvLoad {
  let numbers = 0;

  async function send(engine: EngineProcess, key: string, condition: Record<string, string>, value?: string) {
    const response = await fetch(`${engine.url}/api/v1/kv/buckets/${KV_BUCKET}/keys/${key}`, {
      ...(value === undefined ? {} : { method: "PUT", body: value }),
      headers: { "content-type": "application/octet-stream", ...condition },
    });
    const body = (await response.json()) as { revision?: number; value?: string };
    return { status: response.status, revision: Number(body.revision), value: body.value ?? "" };
  }

  async function make(engine: EngineProcess): Promise<void> {
    const key = `made.${(numbers += 1)}`;
    const answer = await send(engine, key, { "if-none-match": "*" }, key);
    if (answer.status !== 200) throw new Error(`the new key ${key} was answered ${answer.status}`);
    ledger.made(key, answer.revision);
  }

  /** Reads and writes one more, unless another client did meanwhile. */
  async function count(engine: EngineProcess): Promise<void> {
    const before = await send(engine, KV_COUNTER, {});
    const n = before.status === 404 ? 0 : Number(Buffer.from(before.value, "base64").toString("utf8"));
    const condition: Record<string, string> =
      before.status === 404 ? { "if-none-match": "*" } : { "if-match": String(before.revision) };
    ledger.counting();
    const answer = await send(engine, KV_COUNTER, condition, String(n + 1));
    if (answer.status === 200) ledger.counted(n + 1);
    else if (answer.status !== 409) throw new Error(`the counter was answered ${answer.status}`);
  }

  return {
    register: async (engine) => {
      const { status } = await engine.rest("/api/v1/kv/buckets", { name: KV_BUCKET, history: 3 });
      if (status !== 200) throw new Error(`the bucket was answered ${status}`);
    },
    run: async (engine, signal) => {
      const client = async (write: (to: EngineProcess) => Promise<void>) => {
        while (!signal.aborted) await write(engine);
      };
      const clients = [client(make), ...Array.from({ length: counters }, () => client(count))];
      // A call that breaks off because the engine was killed is what this test is about; any other error is not.
      await Promise.all(clients).catch((error: unknown) => {
        if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error;
      });
      await Promise.allSettled(clients);
    },
  };
}
