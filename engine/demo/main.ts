import { setTimeout as sleep } from "node:timers/promises";
import { createEngineClient, type EngineClient } from "./engine-client.ts";
import { createFunctions, type ShopFunction } from "./functions.ts";
import { day, paidInvoice, unpaidInvoice } from "./orders.ts";
import { createPartners } from "./partners.ts";
import { startShopServer } from "./server.ts";

/** How long the customer looks for the invoice before paying anyway, ms. */
const invoiceWithinMs = 10_000;
const lookEveryMs = 50;

/** The order shop: a real application that serves push functions, registers them and emits events. */
async function main(): Promise<void> {
  const engine = createEngineClient(process.env);
  const partners = createPartners();
  let url = "";
  const functions = createFunctions(partners, (partner, body) => post(`${url}/partners/${partner}`, body));
  const handlers = new Map(Object.entries(functions).map(([id, { handler }]) => [id, handler]));
  const signingKey = process.env["IRONFLOW_SIGNING_KEY"] || undefined;
  const server = await startShopServer({ handlers, partners, signingKey });
  url = server.url;
  stopWhenAsked(() => server.close());

  await register(engine, functions, url);
  for (const { event, key, data } of day) await engine.emit(event, data, `demo ${key}`);
  await invoiceAndPay(engine);
  process.stdout.write(`demo ready ${JSON.stringify({ url })}\n`);
}

async function register(
  engine: EngineClient,
  functions: Record<string, ShopFunction>,
  url: string,
): Promise<void> {
  for (const [id, { handler: _, ...registration }] of Object.entries(functions)) {
    await engine.registerFunction({ id, ...registration, endpointUrl: `${url}/functions/${id}` });
  }
}

/** Both customers get an invoice. One pays as soon as the shop waits for the money, the other one never does. */
async function invoiceAndPay(engine: EngineClient): Promise<void> {
  await engine.emit("order.invoiced", unpaidInvoice, `demo invoiced ${unpaidInvoice.orderId}`);
  const { runIds } = await engine.emit("order.invoiced", paidInvoice, `demo invoiced ${paidInvoice.orderId}`);
  // A payment that comes before the wait is stored would not be seen by it.
  for (const runId of runIds) await untilItWaits(engine, runId);
  const { orderId, totalCents } = paidInvoice;
  await engine.emit("payment.received", { orderId, cents: totalCents }, `demo paid ${orderId}`);
}

async function untilItWaits(engine: EngineClient, runId: string): Promise<void> {
  const deadline = performance.now() + invoiceWithinMs;
  while (performance.now() < deadline) {
    const status = await engine.runStatus(runId);
    if (status !== "RUN_STATUS_RUNNING" && status !== "RUN_STATUS_WAITING_FOR_CAPACITY") return;
    await sleep(lookEveryMs);
  }
}

/** Calls a partner's server. */
async function post(url: string, body: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(5_000),
  });
  return { status: response.status, body: await response.json() };
}

/** Stops on SIGTERM, SIGINT and when stdin ends: whoever started the demo is gone. */
function stopWhenAsked(close: () => Promise<void>): void {
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.stdin.on("end", stop);
  process.stdin.on("error", stop);
  process.stdin.resume();
}

main().catch((error: unknown) => {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
