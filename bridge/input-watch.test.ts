import { describe, expect, it } from "vitest";
import { unreadable } from "./input-watch.ts";

const failed = (code: string) => Object.assign(new Error(code), { code });
const ownedBy = (uid: number | undefined) => () => Promise.resolve(uid);
const own = process.getuid?.() ?? 0;

describe("a process that the system does not let us look at", () => {
  it.each(["EPERM", "EACCES"])(
    "may be asking for a password when it is another user's (%s)",
    async (code) => {
      expect(await unreadable(failed(code), 42, ownedBy(own + 1))).toBe("reads");
    },
  );

  it.each(["EPERM", "EACCES"])("is not known when it is our own (%s)", async (code) => {
    expect(await unreadable(failed(code), 42, ownedBy(own))).toBeUndefined();
    expect(await unreadable(failed(code), process.pid)).toBeUndefined();
  });

  it("asks for nothing when it has gone", async () => {
    expect(await unreadable(failed("ESRCH"), 42, ownedBy(own))).toBe("busy");
    expect(await unreadable(failed("EPERM"), 42, ownedBy(undefined))).toBe("busy");
  });
});
