import * as z from "zod/v4";
import { Invoice, Order } from "./orders.ts";
import type { Partners } from "./partners.ts";
import { RetryableError, type Handler } from "./steps.ts";

/** A function of the shop: what it does, and how it is registered. */
export interface ShopFunction {
  handler: Handler;
  description: string;
  triggers: { event: string; expression?: string }[];
  retry?: { maxAttempts?: number; initialDelayMs?: number; backoffFactor?: number; maxDelayMs?: number };
}

const OrderId = z.object({ orderId: z.string() });

/** How long a customer gets to unpack before the shop asks for a review, ms. */
const unpackMs = 3_000;

/**
 * The shop's functions by id. `post` calls a partner's server over HTTP and answers status and body.
 */
export function createFunctions(
  partners: Partners,
  post: (partner: string, body: unknown) => Promise<{ status: number; body: unknown }>,
): Record<string, ShopFunction> {
  /** A partner that is busy or down may be well later; any other refusal is final. */
  async function ask(partner: string, body: unknown): Promise<unknown> {
    const answer = await post(partner, body);
    if (answer.status >= 500)
      throw new RetryableError(`${partner} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    if (answer.status !== 200) throw new Error(`${partner} refused: ${answer.status}`);
    return answer.body;
  }

  return {
    "fulfil-order": {
      description: "Reserves stock, charges the card (the gateway is often busy) and confirms",
      triggers: [{ event: "order.placed" }],
      retry: { maxAttempts: 5, initialDelayMs: 300 },
      handler: async ({ event, steps }) => {
        const order = Order.parse(event.data);
        await steps.run("reserve-stock", () =>
          order.items.map(({ sku, quantity }) => ({ sku, quantity, shelf: "A-3" })),
        );
        const receipt = await steps.run("charge-card", () =>
          ask("gateway", { reference: order.id, cents: order.totalCents }),
        );
        await steps.run("confirm-order", () => ({
          to: order.customer,
          subject: `Order ${order.id} is on its way`,
        }));
        return { order: order.id, receipt };
      },
    },
    "print-shipping-label": {
      description: "Prints the carrier's label; the carrier's code cannot do without a postcode",
      triggers: [{ event: "order.packed" }],
      handler: async ({ event, steps }) => {
        const order = Order.parse(event.data);
        const grams = await steps.run("weigh-parcel", () =>
          order.items.reduce((sum, item) => sum + item.quantity * 120, 80),
        );
        return { order: order.id, label: await steps.run("render-label", () => renderLabel(order, grams)) };
      },
    },
    "ask-for-review": {
      description: "Lets the customer unpack, then asks for a review by mail",
      triggers: [{ event: "order.delivered" }],
      handler: async ({ event, steps }) => {
        const { orderId } = OrderId.parse(event.data);
        await steps.sleep("let-them-unpack", unpackMs);
        return steps.invoke("send-mail", { orderId, template: "review" });
      },
    },
    "send-mail": {
      description: "Sends one mail; other functions invoke it",
      triggers: [],
      handler: async ({ event, steps }) => {
        const { orderId } = OrderId.parse(event.data);
        return steps.run("hand-to-mail-server", () => ({
          accepted: true,
          messageId: `<${orderId}@shop.example>`,
        }));
      },
    },
    "collect-payment": {
      description: "Sends the invoice and waits for its payment",
      triggers: [{ event: "order.invoiced" }],
      handler: async ({ event, steps }) => {
        const invoice = Invoice.parse(event.data);
        await steps.run("send-invoice", () => ({ to: invoice.customer, cents: invoice.totalCents }));
        const payment = await steps.waitForEvent("payment", {
          event: "payment.received",
          match: "data.orderId",
          timeout: "7d",
        });
        return steps.run("book-payment", () => ({ orderId: invoice.orderId, payment }));
      },
    },
    "pick-in-warehouse": {
      description: "Runs on the warehouse's own server, which is down until an event warehouse.restored",
      triggers: [{ event: "order.picking" }],
      retry: { maxAttempts: 50, initialDelayMs: 50, backoffFactor: 1.5, maxDelayMs: 5_000 },
      handler: async ({ event, steps }) => {
        const { orderId } = OrderId.parse(event.data);
        return steps.run("pick", () => ({ orderId, picked: true }));
      },
    },
    "book-carrier": {
      description: "Books a pickup; the carrier is down until an event carrier.restored",
      triggers: [{ event: "parcel.ready" }],
      retry: { maxAttempts: 3, initialDelayMs: 100 },
      handler: async ({ event, steps }) => {
        const parcel = OrderId.parse(event.data);
        const customs = await steps.run("fill-in-papers", () => ({ orderId: parcel.orderId, form: "CN22" }));
        const pickup = await steps.run("book-pickup", () => ask("carrier", parcel));
        return { customs, pickup };
      },
    },
    "welcome-loyal-customer": {
      description: "Greets customers with more than 100 points; its trigger reads data.loyalty.points",
      triggers: [{ event: "customer.registered", expression: "data.loyalty.points > 100" }],
      handler: async ({ steps }) => steps.run("greet", () => ({ gift: "pencil" })),
    },
    "mend-carrier": {
      description: "The carrier's power is back",
      triggers: [{ event: "carrier.restored" }],
      handler: async ({ steps }) => steps.run("switch-on", () => partners.mendCarrier()),
    },
    "mend-warehouse": {
      description: "The warehouse's server is back",
      triggers: [{ event: "warehouse.restored" }],
      handler: async ({ steps }) => steps.run("switch-on", () => partners.mendWarehouse()),
    },
  };
}

/** The label's last line is the postcode, in capitals, without blanks. */
function renderLabel(order: Order, grams: number): string {
  const { name, street, city, postcode } = order.address;
  if (postcode === undefined) {
    throw new Error(`${order.id}: the address has no postcode, the label cannot be sorted`);
  }
  return [name, street, city, `${postcode.toUpperCase().replaceAll(" ", "")} ${grams} g`].join("\n");
}
