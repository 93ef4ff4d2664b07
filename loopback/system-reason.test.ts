import { expect, it } from "vitest";
import { systemReason } from "./system-reason.ts";

const systemError = (code: string) => Object.assign(new Error("x"), { code });

it.each([
  [systemError("EROFS"), "it is on a file system that can only be read"],
  [systemError("EDQUOT"), "this user may store no more there"],
  [systemError("EWHATEVER"), "EWHATEVER"],
  [new Error("no code"), "no code"],
  ["text", "text"],
])("%s is told in words where there are any: %s", (cause, words) => {
  expect(systemReason(cause)).toBe(words);
});
