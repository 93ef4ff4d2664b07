import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { lockHolder, socketFolder } from "./profile-lock.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "ironbridge-lock-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const linux = { host: "desk", platform: "linux" as const, isAlive: (pid: number) => pid === 7 };

describe("the lock of a profile", () => {
  it.each([
    ["desk-7", { kind: "here", pid: 7 }],
    ["desk-8", { kind: "nobody" }],
    ["other-host-7", { kind: "elsewhere", host: "other-host", pid: 7 }],
    ["nonsense", { kind: "nobody" }],
  ])("that says %s is held by %j", (target, holder) => {
    symlinkSync(target, join(folder, "SingletonLock"));
    expect(lockHolder(folder, linux)).toEqual(holder);
  });

  it("is held by nobody when it is not there, and tells nothing on Windows", () => {
    expect(lockHolder(folder, linux)).toEqual({ kind: "nobody" });
    expect(lockHolder(folder, { ...linux, platform: "win32" })).toEqual({ kind: "unknown" });
  });
});

describe("the folder of an instance's socket", () => {
  it.each([
    ["/tmp/scoped_dirA1b2/SingletonSocket", "/tmp/scoped_dirA1b2"],
    ["/tmp/.org.chromium.Chromium.A1b2/SingletonSocket", "/tmp/.org.chromium.Chromium.A1b2"],
    ["/tmp/SingletonSocket", undefined],
    ["/tmp/mine/SingletonSocket", undefined],
    ["/home/me/scoped_dirA1b2/SingletonSocket", undefined],
    ["/tmp/scoped_dirA1b2/deeper/SingletonSocket", undefined],
  ])("of %s is %s: only what Chromium made for it", (target, expected) => {
    symlinkSync(target, join(folder, "SingletonSocket"));
    expect(socketFolder(folder, "/tmp")).toBe(expected);
  });

  it("is none without a link", () => {
    expect(socketFolder(folder, "/tmp")).toBeUndefined();
  });
});
