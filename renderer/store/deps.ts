import type { LiveTopic } from "../../mcp/contract/live.ts";
import type { ToolArguments, ToolName, ToolOutput } from "../../mcp/contract/tools.ts";
import type { Door } from "../window.ts";
import type { Answer } from "./answer.ts";
import type { Changes } from "./changes.ts";
import { applyAnswer, type Reading } from "./reading.ts";
import { watch, type Clock } from "./watch.ts";

/** Calls a row of the tool table on the engine that is shown now. */
export type Call = <Name extends ToolName>(
  tool: Name,
  input: ToolArguments<Name>,
) => Promise<Answer<ToolOutput<Name>>>;

/** What slices are given: the door to main, time, and word of changes. */
export type Deps = {
  readonly door: Door;
  readonly clock: Clock;
  readonly changes: Changes;
  readonly call: Call;
  /** How often to read where the engine announces nothing, in ms; undefined = it announces. */
  readonly pollMs: () => number | undefined;
};

/** At most this often a page reads the same thing again; well below the two seconds in which a change must show. */
export const MIN_GAP_MS = 300;

/** Reads until called off, and hands every outcome to `apply` as a change of the reading before. */
export function keepReading<T>(
  deps: Deps,
  what: {
    topics: readonly LiveTopic[];
    read: () => Promise<Answer<T>>;
    apply: (change: (before: Reading<T>) => Reading<T>) => void;
    minGapMs?: number;
  },
): () => void {
  const watching = watch({
    clock: deps.clock,
    minGapMs: what.minGapMs ?? MIN_GAP_MS,
    everyMs: deps.pollMs,
    async read(stillWanted) {
      const answer = await what.read();
      if (stillWanted()) what.apply((before) => applyAnswer(before, answer, deps.clock.now()));
      return answer.ok;
    },
  });
  const unlisten = deps.changes.listen(what.topics, watching.refresh);
  return () => {
    unlisten();
    watching.stop();
  };
}
