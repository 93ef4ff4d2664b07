import { FUNCTION_DEFAULTS, type RetryPolicy } from "../contract/functions.ts";

/** How long a run waits after its failed `attempt` (from 1) before the next one, ms. */
export function retryDelayMs(policy: RetryPolicy | undefined, attempt: number): number {
  const initial = policy?.initialDelayMs ?? FUNCTION_DEFAULTS.initialDelayMs;
  const factor = policy?.backoffFactor ?? FUNCTION_DEFAULTS.backoffFactor;
  const longest = policy?.maxDelayMs ?? FUNCTION_DEFAULTS.maxDelayMs;
  return Math.round(Math.min(initial * factor ** (attempt - 1), longest));
}
