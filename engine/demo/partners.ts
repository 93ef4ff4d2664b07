/** The companies that the shop depends on, each with a fault of its own. They are served under `/partners/`. */
export interface Partners {
  /** Takes money. Too busy for the first two requests of every charge. */
  gateway(reference: string): PartnerAnswer;
  /** Picks parcels up. Down until its depot is mended. */
  carrier(): PartnerAnswer;
  /** Its server runs the picking function itself, and is down until it is mended. */
  warehouseIsUp(): boolean;
  mendCarrier(): void;
  mendWarehouse(): void;
}

export interface PartnerAnswer {
  status: number;
  body: Record<string, unknown>;
}

const refusalsPerCharge = 2;

/** Charges that the gateway remembers; the oldest are forgotten. */
const maxCharges = 1_000;

export function createPartners(): Partners {
  const asked = new Map<string, number>();
  let carrierUp = false;
  let warehouseUp = false;
  return {
    gateway: (reference) => {
      const before = asked.get(reference) ?? 0;
      asked.set(reference, before + 1);
      const oldest = asked.keys().next().value;
      if (asked.size > maxCharges && oldest !== undefined) asked.delete(oldest);
      return before < refusalsPerCharge
        ? { status: 503, body: { error: "the gateway is busy, try again" } }
        : { status: 200, body: { receipt: `rc-${reference}` } };
    },
    carrier: () =>
      carrierUp
        ? { status: 200, body: { pickup: "tomorrow, 9 to 12" } }
        : { status: 503, body: { error: "the depot has no power" } },
    warehouseIsUp: () => warehouseUp,
    mendCarrier: () => {
      carrierUp = true;
    },
    mendWarehouse: () => {
      warehouseUp = true;
    },
  };
}
