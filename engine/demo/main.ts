import { createEngineClient } from "./engine-client.ts";
import { fulfilOrder, printShippingLabel } from "./functions.ts";
import { orderWithoutPostcode, paidOrder } from "./orders.ts";
import { startShopServer } from "./server.ts";

/** The order shop: a real application that serves push functions and emits events. */
async function main(): Promise<void> {
  const engine = createEngineClient(process.env);
  const server = await startShopServer({
    functions: { "fulfil-order": fulfilOrder, "print-shipping-label": printShippingLabel },
    partners: {},
    signingKey: process.env["IRONFLOW_SIGNING_KEY"] || undefined,
  });
  const endpoint = (id: string) => `${server.url}/functions/${id}`;

  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    server.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.stdin.on("end", stop);
  process.stdin.on("error", stop);
  process.stdin.resume();

  await engine.registerFunction({
    id: "fulfil-order",
    description: "Reserves, charges and confirms an order",
    triggers: [{ event: "order.placed" }],
    endpointUrl: endpoint("fulfil-order"),
  });
  await engine.registerFunction({
    id: "print-shipping-label",
    description: "Prints the carrier's label for an order",
    triggers: [{ event: "order.packed" }],
    endpointUrl: endpoint("print-shipping-label"),
  });
  await engine.emit("order.placed", paidOrder, `demo placed ${paidOrder.id}`);
  await engine.emit("order.packed", orderWithoutPostcode, `demo packed ${orderWithoutPostcode.id}`);
  process.stdout.write(`demo ready ${JSON.stringify({ url: server.url })}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
