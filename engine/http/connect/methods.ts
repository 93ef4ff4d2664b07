import { emitMethods } from "./emit-methods.ts";
import { functionMethods } from "./function-methods.ts";
import type { ConnectMethod } from "./method.ts";
import { runMethods } from "./run-methods.ts";
import { serverMethods } from "./server-methods.ts";

export const CONNECT_PREFIX = "/ironflow.v1.IronflowService/";

/** Every method of `ironflow.v1.IronflowService` that this engine serves. */
export const connectMethods: ReadonlyMap<string, ConnectMethod> = new Map(
  Object.entries({ ...serverMethods, ...functionMethods, ...emitMethods, ...runMethods }),
);
