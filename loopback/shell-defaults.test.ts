import { describe, expect, it } from "vitest";
import { defaultFolder, defaultShell } from "./shell-defaults.ts";

const SYSTEM = ["linux", "darwin"] as const;
const anyOf =
  (...files: string[]) =>
  (file: string) =>
    files.includes(file);

describe("the shell of who names none", () => {
  it.each(SYSTEM)("is the person's own, if it is a program that runs something (%s)", (platform) => {
    const programs = anyOf("/usr/bin/fish", "/bin/bash", "/usr/sbin/nologin", "/bin/true", "bash");
    const of = (SHELL?: string) => defaultShell(SHELL === undefined ? {} : { SHELL }, platform, programs);
    expect(of("/usr/bin/fish")).toBe("/usr/bin/fish");
    for (const unfit of [undefined, "", "bash", "/bin/nosuch", "/usr/sbin/nologin", "/bin/true"])
      expect(of(unfit)).toBe("/bin/bash");
    expect(defaultShell({ SHELL: "/bin/nosuch" }, platform, anyOf())).toBe("/bin/sh");
  });

  it("is no folder, though a folder may be entered", () => {
    expect(defaultShell({ SHELL: "/usr/bin" }, "linux")).not.toBe("/usr/bin");
  });

  it("is on Windows the command interpreter, however its variable is spelt", () => {
    const cmd = "D:\\Windows\\system32\\cmd.exe";
    for (const name of ["ComSpec", "COMSPEC", "comspec"])
      expect(defaultShell({ [name]: cmd }, "win32", anyOf(cmd))).toBe(cmd);
    expect(defaultShell({ systemroot: "D:\\Windows" }, "win32", anyOf())).toBe(
      "D:\\Windows\\System32\\cmd.exe",
    );
    expect(defaultShell({}, "win32", anyOf())).toBe("C:\\Windows\\System32\\cmd.exe");
  });

  it("is on Windows what SHELL names only where that is a program of Windows", () => {
    const cmd = "C:\\Windows\\system32\\cmd.exe";
    const bash = "C:\\Program Files\\Git\\usr\\bin\\bash.exe";
    const programs = anyOf(cmd, bash, "/usr/bin/bash");
    expect(defaultShell({ SHELL: bash, ComSpec: cmd }, "win32", programs)).toBe(bash);
    for (const SHELL of ["/usr/bin/bash", "C:\\nosuch.exe", "bash.exe"])
      expect(defaultShell({ SHELL, ComSpec: cmd }, "win32", programs)).toBe(cmd);
  });
});

describe("the folder of who names none", () => {
  it("is the person's home, by the environment where that tells it", () => {
    expect(defaultFolder({ HOME: "/h" }, "linux", () => "/home")).toBe("/h");
    expect(defaultFolder({}, "darwin", () => "/home")).toBe("/home");
    expect(defaultFolder({ HOME: "/c/Users/me" }, "win32", () => "C:\\Users\\me")).toBe("C:\\Users\\me");
  });
});
