import { madeVisible } from "../../electron/contract/visible.ts";
import { idFilter, readRunFilters, runFiltersQuery, type RunFilters } from "../runs/run-filters.ts";
import { formatRoute } from "../store/route.ts";
import type { Command } from "./commands.ts";

/** As long as the search fields of the runs page take. */
export const TYPED_MAX_CHARS = 256;

/** The beginning of a run's or an event's id, or more of it. */
const ID = /^(run|evt)_[\w-]*$/;
/** Part of an id: one word with a digit in it. */
const PART_OF_ID = /^(?=.*\d)[\w-]{4,}$/;

export const looksLikeId = (typed: string): boolean => ID.test(typed.trim());

/** The ways to runs for what was typed: as the search fields of the runs page read it. */
export function findCommands(typed: string): readonly Command[] {
  const text = typed.trim();
  if (text === "") return [];
  const shown = madeVisible(text);
  const { search, eventId } = idFilter(text);
  // An id is of one run, however old that is.
  const byId =
    eventId === ""
      ? find(`Find runs with the id ${shown}`, { search, window: "all" })
      : find(`Find runs of event ${shown}`, { eventId, window: "all" });
  if (looksLikeId(text)) return [byId];
  const byText = find(`Find runs with “${shown}”`, { text });
  return PART_OF_ID.test(text) ? [byText, byId] : [byText];
}

function find(title: string, filters: Partial<RunFilters>): Command {
  const query = runFiltersQuery({ ...readRunFilters({}), ...filters });
  const path = formatRoute("runs", null, query);
  return { key: path, kind: "Runs", title, aside: "", action: { type: "go", path } };
}
