import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { lastingMarksOf } from "./lasting-mark.ts";
import { environOf, readLinux } from "./processes.ts";

vi.mock("node:fs", async (original) => ({ ...(await original<object>()), readFileSync: vi.fn() }));

const fails = (code: string) =>
  vi.mocked(readFileSync).mockImplementation(() => {
    throw Object.assign(new Error(`${code}: no`), { code });
  });

afterEach(() => vi.mocked(readFileSync).mockReset());

describe("what /proc does not say of a process", () => {
  it.each(["ENOENT", "ESRCH", "EACCES", "EPERM"])(
    "is nothing where it is gone or not ours to see: %s",
    (code) => {
      fails(code);
      expect([readLinux(42), environOf(42), lastingMarksOf(42)]).toStrictEqual([undefined, "", undefined]);
    },
  );

  it.each(["EMFILE", "ENFILE", "ENOMEM", "EAGAIN"])(
    "[B3] is no proof that it is gone where the read fails: %s",
    (code) => {
      fails(code);
      for (const read of [readLinux, environOf, lastingMarksOf]) expect(() => read(42)).toThrow(code);
    },
  );
});
