import { LosslessNumber } from "lossless-json";

/** A protobuf Struct holds objects only, so any other JSON travels in the `…Value` twin (contract, section 1.4). */
export function structOrValue(data: unknown): { data: object } | { dataValue: unknown } {
  const isObject =
    typeof data === "object" && data !== null && !Array.isArray(data) && !(data instanceof LosslessNumber);
  return isObject ? { data } : { dataValue: data };
}
