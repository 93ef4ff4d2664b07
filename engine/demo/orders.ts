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

const address = { name: "Ada Byron", street: "12 St James's Square", city: "London", postcode: "SW1Y 4JH" };

export const paidOrder: Order = {
  id: "order-1001",
  customer: "ada@example.com",
  items: [{ sku: "notebook", quantity: 2 }],
  totalCents: 2_400,
  address,
};

/** The shop's form let a customer leave the postcode out. */
export const orderWithoutPostcode: Order = {
  id: "order-1002",
  customer: "charles@example.com",
  items: [{ sku: "pencil", quantity: 12 }],
  totalCents: 1_800,
  address: { name: "Charles Babbage", street: "1 Dorset Street", city: "London" },
};
