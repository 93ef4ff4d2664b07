import type { FunctionDetail } from "../../mcp/contract/domain.ts";
import { showDuration } from "../ui/time-format.ts";

type Fact = { readonly name: string; readonly value: string };

/** How a function is tried again, in words; what is not said is the engine's own. */
export function retryFacts({ retry = {}, max_attempts, timeout_ms }: FunctionDetail): readonly Fact[] {
  const attempts = retry.max_attempts ?? max_attempts;
  const wait = retry.initial_delay_ms;
  const most = retry.max_delay_ms;
  return [
    { name: "Attempts", value: attempts === undefined ? "engine's default" : String(attempts) },
    {
      name: "Waits between",
      value:
        wait === undefined
          ? "engine's default"
          : [
              showDuration(wait),
              retry.backoff_factor === undefined ? "" : `times ${retry.backoff_factor} each time`,
              most === undefined ? "" : `${showDuration(most)} at most`,
            ]
              .filter((part) => part !== "")
              .join(", "),
    },
    { name: "Time-out", value: timeout_ms === undefined ? "engine's default" : showDuration(timeout_ms) },
  ];
}

/** What else was set about a function. What was not set is left out. */
export function otherFacts(detail: FunctionDetail): readonly Fact[] {
  const { concurrency, cancel_on: cancelOn = [], actor_key: actor, secrets = [], recording } = detail;
  const facts: (Fact | null)[] = [
    concurrency?.limit === undefined
      ? null
      : {
          name: "At once",
          value: `${concurrency.limit}${concurrency.key === undefined ? "" : ` for each ${concurrency.key}`}`,
        },
    cancelOn.length === 0
      ? null
      : {
          name: "Cancelled by",
          value: cancelOn
            .map(({ event, match }) => (match === undefined ? event : `${event} with the same ${match}`))
            .join(", "),
        },
    actor === undefined || actor === "" ? null : { name: "Actor key", value: actor },
    secrets.length === 0 ? null : { name: "Secrets", value: secrets.join(", ") },
    recording === true ? { name: "Recording", value: "on" } : null,
  ];
  return facts.filter((fact) => fact !== null);
}
