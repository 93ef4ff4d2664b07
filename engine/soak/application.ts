import { RetryableError, type Handler } from "../demo/steps.ts";

/** What the functions under load really did. It lives through every kill of the engine, as a real application would. */
export interface Application {
  handlers: Record<string, Handler>;
  /** How often each step was executed, by its id. */
  effects: Map<string, number>;
  /** Names of the steps of each function that leave an effect, in order. */
  effectsOf: Record<string, readonly string[]>;
  /** Lets the failing runs of this id complete from now on. */
  mend(runId: string): void;
}

export const KINDS = ["order", "paid", "parent", "fragile", "flaky", "hold"] as const;
export type Kind = (typeof KINDS)[number];

/** The functions of one execution mode: their ids are `push-order`, `pull-order` and so on. */
export function createApplication(modes: readonly string[]): Application {
  const effects = new Map<string, number>();
  const mended = new Set<string>();
  const failures = new Map<string, number>();
  const handlers: Record<string, Handler> = {};
  const effectsOf: Record<string, readonly string[]> = {};
  let nonce = 0;

  const effect = (runId: string, name: string) => () => {
    const id = `${runId}:${name}:0`;
    effects.set(id, (effects.get(id) ?? 0) + 1);
    return { step: id, nonce: (nonce += 1) };
  };
  const define = (id: string, names: readonly string[], handler: Handler) => {
    handlers[id] = handler;
    effectsOf[id] = names;
  };

  for (const mode of modes) {
    define(`${mode}-order`, ["reserve", "charge", "pack"], async ({ runId, steps }) => {
      await steps.run("reserve", effect(runId, "reserve"));
      await steps.run("charge", effect(runId, "charge"));
      await steps.sleep("pause", 5);
      return steps.run("pack", effect(runId, "pack"));
    });
    define(`${mode}-paid`, ["open", "close"], async ({ runId, steps }) => {
      await steps.run("open", effect(runId, "open"));
      await steps.waitForEvent("payment", { event: "payment", match: "data.n" });
      return steps.run("close", effect(runId, "close"));
    });
    define(`${mode}-parent`, ["before", "after"], async ({ runId, event, steps }) => {
      await steps.run("before", effect(runId, "before"));
      await steps.invoke(`${mode}-order`, event.data, 3_600_000);
      return steps.run("after", effect(runId, "after"));
    });
    define(`${mode}-fragile`, ["first", "last"], async ({ runId, steps }) => {
      await steps.run("first", effect(runId, "first"));
      if (!mended.has(runId)) throw new Error("broken until it is resumed");
      return steps.run("last", effect(runId, "last"));
    });
    define(`${mode}-flaky`, ["try", "end"], async ({ runId, steps }) => {
      await steps.run("try", effect(runId, "try"));
      const failed = failures.get(runId) ?? 0;
      failures.set(runId, failed + 1);
      if (failed < 2) throw new RetryableError("not yet");
      return steps.run("end", effect(runId, "end"));
    });
    define(`${mode}-hold`, ["begin"], async ({ runId, steps }) => {
      await steps.run("begin", effect(runId, "begin"));
      await steps.sleep("until cancelled", 86_400_000);
      return null;
    });
  }
  return {
    handlers,
    effects,
    effectsOf,
    mend: (runId) => {
      mended.add(runId);
    },
  };
}
