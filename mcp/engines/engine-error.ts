import type { ConnectCode } from "../../engine/contract/errors.ts";

export type EngineErrorDetails = {
  readonly code: ConnectCode;
  /** One sentence for a person or a model. Never holds the API key, and at most 200 bytes of what the engine sent. */
  readonly message: string;
  readonly retryable: boolean;
  readonly reason?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly hint?: string | undefined;
  readonly cause?: unknown;
};

/** A call to the engine that failed, in the vocabulary of the tools' error object. */
export class EngineError extends Error {
  override readonly name = "EngineError";
  readonly code: ConnectCode;
  readonly retryable: boolean;
  readonly reason: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly hint: string | undefined;

  constructor(details: EngineErrorDetails) {
    super(details.message, { cause: details.cause });
    this.code = details.code;
    this.retryable = details.retryable;
    this.reason = details.reason;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.hint = details.hint;
  }
}
