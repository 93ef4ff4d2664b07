import type { PushOutcome } from "../execute/push.ts";

const mask = "***";
/** A shorter text is in every sentence: taking it out would hide nothing and spoil much. */
const shortestMasked = 4;

/**
 * Takes the values that a function was given out of a text: as they are, and as JSON writes them.
 * What a function returns as its result is its own; what the engine keeps about failures must hold no secret.
 */
export function maskSecrets(values: readonly string[]): (text: string) => string {
  const forms = values
    .filter((value) => value.length >= shortestMasked)
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((left, form) => left.replaceAll(form, mask), text);
}

/** The same for every text inside an error. */
export function maskDeep<T>(value: T, masked: (text: string) => string): T {
  const walk = (part: unknown): unknown => {
    if (typeof part === "string") return masked(part);
    if (Array.isArray(part)) return part.map(walk);
    if (typeof part !== "object" || part === null || Object.getPrototypeOf(part) !== Object.prototype)
      return part;
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, walk(member)]));
  };
  // The same shape with other texts.
  return walk(value) as T;
}

/** An outcome whose errors, the run's and those of its steps, repeat no secret. */
export function maskOutcome(outcome: PushOutcome, masked: (text: string) => string): PushOutcome {
  if (outcome.kind === "transport") return { ...outcome, reason: masked(outcome.reason) };
  const { answer } = outcome;
  const steps = answer.steps?.map((step) =>
    step.error === undefined ? step : { ...step, error: maskDeep(step.error, masked) },
  );
  const withSteps = answer.steps == null ? answer : { ...answer, steps };
  return {
    kind: "answer",
    answer:
      withSteps.status === "failed" ? { ...withSteps, error: maskDeep(withSteps.error, masked) } : withSteps,
  };
}
