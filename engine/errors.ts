import type { ConnectCode } from "./contract/errors.ts";

/** A refusal that the caller can understand. Its text names the field and never holds a secret. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ConnectCode;
  constructor(code: ConnectCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
