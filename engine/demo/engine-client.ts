import * as z from "zod/v4";

/** The demo's way to its engine: Connect JSON, as any application would do it. */
export interface EngineClient {
  registerFunction(fn: Record<string, unknown>): Promise<void>;
  /** The key makes the event happen once, however often the demo is started. */
  emit(event: string, data: unknown, idempotencyKey: string): Promise<{ eventId: string; runIds: string[] }>;
  runStatus(runId: string): Promise<string>;
}

const Environment = z.object({
  IRONFLOW_SERVER_URL: z.url({ protocol: /^https?$/ }),
  IRONFLOW_API_KEY: z.string().optional(),
});

const Emitted = z.looseObject({ eventId: z.string(), runIds: z.array(z.string()).default([]) });
const Status = z.looseObject({ status: z.string() });

const callTimeoutMs = 15_000;

/** Reads where the engine is from the environment. @throws Error that names the variable */
export function createEngineClient(env: NodeJS.ProcessEnv): EngineClient {
  const parsed = Environment.safeParse(env);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new Error(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid"}`);
  }
  const { IRONFLOW_SERVER_URL: url, IRONFLOW_API_KEY: key } = parsed.data;

  async function ask(method: string, message: unknown): Promise<unknown> {
    const response = await fetch(new URL(`/ironflow.v1.IronflowService/${method}`, url), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(key === undefined || key === "" ? {} : { authorization: `Bearer ${key}` }),
      },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    if (!response.ok) throw new Error(`${method}: HTTP ${response.status} ${await response.text()}`);
    return response.json();
  }

  return {
    registerFunction: async (fn) => {
      await ask("RegisterFunction", { preferredMode: "push", ...fn });
    },
    emit: async (event, data, idempotencyKey) =>
      Emitted.parse(await ask("Emit", { event, data, idempotencyKey })),
    runStatus: async (runId) => Status.parse(await ask("GetRun", { id: runId })).status,
  };
}
