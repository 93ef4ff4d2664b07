import { expect, test } from "vitest";
import { isTypedOn } from "./navigation.ts";

test("each choice is a step of its own; typing on in a field is not", () => {
  const typed = ["search"];
  expect(isTypedOn({}, { status: "failed" }, typed)).toBe(false);
  expect(isTypedOn({ status: "failed" }, { status: "" }, typed)).toBe(false);
  expect(isTypedOn({}, { search: "r" }, typed), "the first key").toBe(false);
  expect(isTypedOn({ search: "r" }, { search: "ru" }, typed)).toBe(true);
  expect(isTypedOn({ search: "run" }, { search: "" }, typed)).toBe(true);
  expect(isTypedOn({ search: "r" }, { search: "ru", status: "failed" }, typed)).toBe(false);
  expect(isTypedOn({ search: "r" }, { search: "r", status: "" }, typed), "nothing changed").toBe(true);
});
