import type { ConnectCode } from "../../engine/contract/errors.ts";

export type ToolFailureDetails = {
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
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly code: ConnectCode;
  readonly retryable: boolean;
  readonly reason: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly hint: string | undefined;

  constructor(details: ToolFailureDetails) {
    super(details.message, { cause: details.cause });
    this.code = details.code;
    this.retryable = details.retryable;
    this.reason = details.reason;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.hint = details.hint;
  }
}
