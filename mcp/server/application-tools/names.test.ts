import { describe, expect, it } from "vitest";
import { isLegalName, publishedNames } from "./names.ts";

describe("the published name of an application's tool", () => {
  it("is the declared one with _ for dots", () => {
    expect([...publishedNames(["shop.refund", "stock"]).values()]).toEqual(["shop_refund", "stock"]);
  });

  it("is another for each of two that would be the same, whichever comes first", () => {
    const there = publishedNames(["a.b", "a_b"]);
    const back = publishedNames(["a_b", "a.b"]);
    expect(new Set(there.values()).size).toBe(2);
    expect(Object.fromEntries(there)).toEqual(Object.fromEntries(back));
  });

  it.each([
    "ironflow.delete_run",
    "ironflow_delete_run",
    "ironbridge-x",
    "IRONFLOW.x",
    `a.${"b".repeat(90)}`,
  ])("fits every model's interface and never passes for one of ours: %s", (name) => {
    const [published = ""] = publishedNames([name]).values();
    expect(published).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(published).toMatch(/^app_/);
  });

  it.each(["", ".", "a.", ".a", "a b", "a\nb", "ä", "a..b", "x".repeat(129)])("is refused: %j", (name) => {
    expect(isLegalName(name)).toBe(false);
  });
});
