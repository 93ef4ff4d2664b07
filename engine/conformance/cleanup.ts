import type { Answer, Body } from "./target.ts";

type Call = (method: string, path: string, options?: { body?: unknown }) => Promise<Answer>;

/** What the rows made on the server, so that it can be taken away again. Only names of their own are remembered. */
export interface Traces {
  /** Looks at a request before it is sent. */
  watch(method: string, path: string, body: unknown): void;
  /** Takes away what can be, in an order in which nothing is needed any more; what is left, one line each. */
  remove(): Promise<string[]>;
}

/** Open runs that are cancelled for one function; rows make few. */
const runsPerFunction = 1_000;

const connect = (method: string) => `/ironflow.v1.${method}`;

/** @param prefix random text that is in every name the rows make up, and in no other */
export function createTraces(prefix: string, call: Call): Traces {
  const functions = new Set<string>();
  const streams = new Set<string>();
  const buckets = new Set<string>();
  const secrets = new Set<string>();
  const groups = new Set<string>();

  const rpc = (method: string, message: unknown) => call("POST", connect(method), { body: message });

  async function removeRuns(functionId: string): Promise<void> {
    const open = ["running", "waiting", "waiting_for_capacity", "paused"].map(
      (status) => `RUN_STATUS_${status.toUpperCase()}`,
    );
    const page = await rpc("IronflowService/ListRuns", {
      functionId,
      statuses: open,
      limit: runsPerFunction,
    });
    const runs = ((page.json as Body | undefined)?.["runs"] ?? []) as Body[];
    for (const run of runs)
      await rpc("IronflowService/CancelRun", { id: run["id"], reason: "the tests are over" });
    for (;;) {
      const { status, json } = await rpc("IronflowService/DeleteRuns", { functionId });
      if (status !== 200 || Number((json as Body)["deleted"] ?? 0) === 0) return;
    }
  }

  return {
    watch: (method, path, body) => {
      const named = (field: string): string => {
        const value = typeof body === "object" && body !== null ? (body as Body)[field] : undefined;
        return typeof value === "string" && value.includes(prefix) ? value : "";
      };
      if (path === connect("IronflowService/RegisterFunction")) functions.add(named("id"));
      if (path === connect("EntityStreamService/AppendEvent")) streams.add(named("entityId"));
      if (method === "POST" && path === "/api/v1/kv/buckets") buckets.add(named("name"));
      if (method === "POST" && path === "/api/v1/secrets") secrets.add(named("name"));
      if (path === connect("PubSubService/CreateConsumerGroup")) groups.add(named("name"));
    },
    remove: async () => {
      const left: string[] = [];
      const removal = async (what: string, work: Promise<Answer>) => {
        const { status, text } = await work;
        // Rows remove much of what they make themselves.
        if ((status < 200 || status > 299) && status !== 404)
          left.push(`${what}: ${status} ${text.slice(0, 200)}`);
      };
      for (const set of [functions, streams, buckets, secrets, groups]) set.delete("");
      for (const id of functions) {
        await removeRuns(id);
        await removal(`function ${id}`, rpc("IronflowService/DeleteFunction", { id }));
      }
      for (const id of streams)
        await removal(`stream ${id}`, rpc("EntityStreamService/DeleteStream", { entityId: id, purge: true }));
      for (const name of buckets)
        await removal(`bucket ${name}`, call("DELETE", `/api/v1/kv/buckets/${encodeURIComponent(name)}`));
      for (const name of groups)
        await removal(`consumer group ${name}`, rpc("PubSubService/DeleteConsumerGroup", { name }));
      for (const name of secrets)
        await removal(`secret ${name}`, call("DELETE", `/api/v1/secrets/${encodeURIComponent(name)}`));
      return left;
    },
  };
}
