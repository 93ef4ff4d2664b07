import { describe, expect, test } from "vitest";
import { formatRoute, HOME, parseRoute } from "./route.ts";

describe("routes", () => {
  test("what is formatted is read back, odd characters included", () => {
    for (const id of [null, "run_1", "a/b c?d#e%", "日本"]) {
      const query = { status: "failed,paused", search: "50% & more" };
      expect(parseRoute(formatRoute("runs", id, query))).toEqual({ page: "runs", id, query });
      expect(parseRoute(`#${formatRoute("runs", id, query)}`)).toEqual({ page: "runs", id, query });
    }
  });

  test("an unknown page, no page and a broken escape lead somewhere", () => {
    expect(parseRoute("/no-such-page/1")).toEqual(HOME);
    expect(parseRoute("")).toEqual(HOME);
    expect(parseRoute("/runs/%E0%A4%A")).toEqual({ page: "runs", id: "%E0%A4%A", query: {} });
  });

  test("empty filters leave no trace", () => {
    expect(formatRoute("runs", null, { status: "", search: "x" })).toBe("/runs?search=x");
    expect(parseRoute("/runs?status=&search=x").query).toEqual({ search: "x" });
  });
});
