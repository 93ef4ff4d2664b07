import { LosslessNumber } from "lossless-json";
import * as z from "zod/v4";
import type { WideInteger } from "../../contract/domain.ts";

/** An int64 of the wire: protojson writes text, REST a number. Text stays only where a number would lose digits. */
export const wireInteger = z
  .union([z.number().int(), z.string().regex(/^-?\d{1,20}$/), z.instanceof(LosslessNumber)])
  .transform((value): WideInteger => {
    if (typeof value === "number") return value;
    const digits = value.toString();
    const nearest = Number(digits);
    return Number.isSafeInteger(nearest) ? nearest : digits;
  });

/** As `wireInteger`; protojson leaves out a zero. */
export const wireCount = wireInteger.default(0);
