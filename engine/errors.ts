import type { ConnectCode } from "./contract/errors.ts";

/** A refusal that the caller can understand. Its text names the field and never holds a secret. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ConnectCode;
  /** The word REST says instead of the code, where the contract has one (`STALE_EXECUTION`). */
  readonly restCode: string;
  constructor(code: ConnectCode, message: string, options?: ErrorOptions & { restCode?: string }) {
    super(message, options);
    this.code = code;
    this.restCode = options?.restCode ?? code;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
