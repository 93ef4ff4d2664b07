import { expect, test } from "vitest";
import { readRunFilters } from "./run-filters.ts";
import { FOUND_MAX, readFound, searchQuery } from "./run-search.ts";

const NOW = Date.parse("2026-01-02T00:00:00Z");
const query = (filters: Record<string, string>) =>
  searchQuery(readRunFilters({ window: "all", ...filters }), NOW);

test("a text is looked for as it is: neither a quote nor a wildcard in it means anything", () => {
  const sql = query({ text: "50%_o'clock\\" });
  expect(sql).toContain(String.raw`r.input like '%50\%\_o''clock\\%' escape '\'`);
  for (const column of ["e.name", "r.input", "r.output", "r.error"]) expect(sql).toContain(`${column} like`);
  expect(sql.replaceAll("''", "").split("'").length % 2, "every literal ends").toBe(1);
});

test("the other filters narrow it", () => {
  const sql = query({ text: "a", status: "failed,paused", function: "f'x", event: "evt_1", window: "24h" });
  expect(sql).toContain("r.status in ('failed', 'paused')");
  expect(sql).toContain("r.function_id = 'f''x'");
  expect(sql).toContain("r.event_id = 'evt_1'");
  expect(sql).toContain("r.created_at >= '2026-01-01T00:00:00.000Z'");
  expect(query({ text: "a" })).not.toMatch(/r\.(status in|function_id =|event_id =|created_at >=)/);
});

test("more rows than are shown are told, and an answer of another shape is none", () => {
  const row = (at: number) => [`run_${at}`, "f", "failed", "2026-01-01T00:00:00Z", at % 2 === 0 ? null : "a"];
  const rows = Array.from({ length: FOUND_MAX + 1 }, (_, at) => row(at));
  const found = readFound({ rows });
  expect([found?.rows.length, found?.more]).toEqual([FOUND_MAX, true]);
  expect(found?.rows.slice(0, 2).map(({ event_name }) => event_name)).toEqual(["", "a"]);
  expect(readFound({ rows: rows.slice(0, 3) })?.more).toBe(false);
  expect(readFound({ rows: [["run_1"]] })).toBeUndefined();
});
