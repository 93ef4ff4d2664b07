import * as z from "zod/v4";

/** What a customer sends. */
export const Order = z.object({
  id: z.string(),
  customer: z.string(),
  items: z.array(z.object({ sku: z.string(), quantity: z.number().int().min(1) })).min(1),
  totalCents: z.number().int(),
  address: z.object({
    name: z.string(),
    street: z.string(),
    city: z.string(),
    postcode: z.string().optional(),
  }),
});
export type Order = z.infer<typeof Order>;

/** What the shop asks a customer to pay. */
export const Invoice = z.object({ orderId: z.string(), customer: z.string(), totalCents: z.number().int() });
export type Invoice = z.infer<typeof Invoice>;

/** The day's business: what happens in the shop when the demo starts. */
export const day: readonly { event: string; key: string; data: Record<string, unknown> }[] = [
  placed("order-1001", "ada@example.com", 2_400),
  placed("order-1002", "charles@example.com", 1_800),
  {
    event: "order.packed",
    key: "packed order-1002",
    data: order("order-1002", "charles@example.com", 1_800, undefined),
  },
  {
    event: "order.packed",
    key: "packed order-1001",
    data: order("order-1001", "ada@example.com", 2_400, "SW1Y 4JH"),
  },
  {
    event: "order.delivered",
    key: "delivered order-0998",
    data: { orderId: "order-0998", customer: "mary@example.com" },
  },
  { event: "parcel.ready", key: "parcel order-1001", data: { orderId: "order-1001", grams: 320 } },
  { event: "order.picking", key: "picking order-1003", data: { orderId: "order-1003", shelf: "B-7" } },
  {
    event: "customer.registered",
    key: "customer mary",
    data: { customer: "mary@example.com", loyalty: { points: 140 } },
  },
  // The old registration form knows no loyalty programme: the trigger's expression cannot be evaluated.
  { event: "customer.registered", key: "customer charles", data: { customer: "charles@example.com" } },
];

/** Two invoices; only the first customer pays. */
export const paidInvoice: Invoice = {
  orderId: "order-1004",
  customer: "grace@example.com",
  totalCents: 9_900,
};
export const unpaidInvoice: Invoice = {
  orderId: "order-1005",
  customer: "alan@example.com",
  totalCents: 4_200,
};

function placed(id: string, customer: string, totalCents: number) {
  return { event: "order.placed", key: `placed ${id}`, data: order(id, customer, totalCents, "SW1Y 4JH") };
}

/** The shop's form lets a customer leave the postcode out. */
function order(id: string, customer: string, totalCents: number, postcode: string | undefined): Order {
  const address = { name: customer.split("@")[0] ?? "", street: "12 St James's Square", city: "London" };
  return {
    id,
    customer,
    items: [{ sku: "notebook", quantity: 2 }],
    totalCents,
    address: postcode === undefined ? address : { ...address, postcode },
  };
}
