import { describe, expect, it } from "vitest";
import { scriptRun } from "./run-script.ts";

describe("a shell runs a script file", () => {
  it.each([
    ["/bin/bash", "linux", ["/t/x"]],
    ["/usr/bin/fish", "darwin", ["/t/x"]],
    ["/bin/cmd", "linux", ["/t/x"]],
    ["C:\\Windows\\System32\\cmd.exe", "win32", ["/d", "/q", "/c", "/t/x.cmd"]],
    ["C:\\Program Files\\Git\\bin\\bash.exe", "win32", ["/t/x"]],
    [
      "C:\\Program Files\\PowerShell\\7\\pwsh.exe",
      "win32",
      ["-NoLogo", "-NoProfile", "-ExecutionPolicy", "Bypass", "-File", "/t/x.ps1"],
    ],
    ["/usr/bin/pwsh", "linux", ["-NoLogo", "-NoProfile", "-ExecutionPolicy", "Bypass", "-File", "/t/x.ps1"]],
  ] as const)("[B5] %s on %s", (shell, platform, args) => {
    const run = scriptRun(shell, platform);
    expect(run.args(`/t/x${run.suffix}`)).toEqual(args);
  });
});
