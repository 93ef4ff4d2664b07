import { Order } from "./orders.ts";
import type { Handler } from "./steps.ts";

/** Takes an order: reserve, charge, confirm. */
export const fulfilOrder: Handler = async ({ event, steps }) => {
  const order = Order.parse(event.data);
  const reservation = await steps.run("reserve-stock", () =>
    order.items.map(({ sku, quantity }) => ({ sku, quantity, shelf: `A-${sku.length}` })),
  );
  const charge = await steps.run("charge-card", () => ({
    charged: order.totalCents,
    currency: "EUR",
    reference: `ch-${order.id}`,
  }));
  await steps.run("confirm-order", () => ({
    to: order.customer,
    subject: `Order ${order.id} is on its way`,
  }));
  return { order: order.id, lines: reservation.length, reference: charge.reference };
};

/** Prints the carrier's label. The carrier's code cannot do without a postcode. */
export const printShippingLabel: Handler = async ({ event, steps }) => {
  const order = Order.parse(event.data);
  const weight = await steps.run("weigh-parcel", () =>
    order.items.reduce((grams, { quantity }) => grams + quantity * 120, 80),
  );
  const label = await steps.run("render-label", () => renderLabel(order, weight));
  return { order: order.id, label };
};

/** The label's last line is the postcode, in capitals, without blanks. */
function renderLabel(order: Order, grams: number): string {
  const { name, street, city, postcode } = order.address;
  if (postcode === undefined)
    throw new Error(`order ${order.id}: the address has no postcode, the label cannot be sorted`);
  return [name, street, city, `${postcode.toUpperCase().replaceAll(" ", "")} ${grams} g`].join("\n");
}
