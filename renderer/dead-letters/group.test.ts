import { expect, test } from "vitest";
import type { DeadLetter } from "../../mcp/contract/domain.ts";
import { groupByEvent } from "./group.ts";

const letter = (id: string, event_id?: string): DeadLetter => ({
  id,
  environment_id: "env_default",
  source: "routing",
  error: "no",
  payload: "",
  created_at: "2026-01-01T00:00:00Z",
  ...(event_id !== undefined && { event_id }),
});

test("rows of one event are one group, wherever they lie; rows without one stand alone", () => {
  const groups = groupByEvent([
    letter("1", "evt_a"),
    letter("2"),
    letter("3", "evt_b"),
    letter("4", "evt_a"),
    letter("5"),
  ]);
  expect(groups.map(({ eventId, rows }) => [eventId, rows.map(({ id }) => id)])).toEqual([
    ["evt_a", ["1", "4"]],
    [null, ["2"]],
    ["evt_b", ["3"]],
    [null, ["5"]],
  ]);
});
