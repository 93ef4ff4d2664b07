import { describe, expect, it } from "vitest";
import { lastingMarks } from "./lasting-mark.ts";
import { launchCommand, launchPlan, resolveCommand } from "./launch.ts";
import { taskkillArgs } from "./signals.ts";

describe("launchCommand", () => {
  it("puts bash before the command and hands the arguments on as they are", () => {
    const args = ["a b", "", "$(touch pwned)", "-x", "é\n'\""];
    const plan = launchCommand({ command: "prog", args }, { PWD: "/", OLDPWD: "/", _: "x" }, "linux");
    expect(plan.command).toMatch(/\/bash$/);
    expect(plan.args.slice(0, 3)).toStrictEqual(["--norc", "-p", "-c"]);
    expect(plan.args.slice(4)).toStrictEqual(["launch", "", "", "", "prog", ...args]);
  });

  it("names the variables that bash would add", () => {
    expect(launchCommand({ command: "prog", args: [] }, {}, "linux").args[5]).toBe("PWD OLDPWD _");
    expect(launchCommand({ command: "prog", args: [] }, { PWD: "/" }, "darwin").args[5]).toBe("OLDPWD _");
  });

  it("marks what carries our marker, where the system has such limits", () => {
    const env = { IRONBRIDGE_SESSION: "life-0001", IRONBRIDGE_TERMINAL: "term_aaaaaaaa" };
    const [hard, soft] = launchCommand({ command: "prog", args: [] }, env, "linux").args.slice(6);
    expect({ hard, soft }).toEqual(lastingMarks(env));
    expect(launchCommand({ command: "prog", args: [] }, env, "darwin").args.slice(6, 8)).toEqual(["", ""]);
  });

  it("leaves a command alone on Windows, where nothing is inherited unasked", () => {
    const plan = launchCommand({ command: "C:\\p.exe", args: ["a b"] }, {}, "win32");
    expect(plan).toStrictEqual({ command: "C:\\p.exe", args: ["a b"] });
  });
});

describe("launchPlan", () => {
  const options = { command: process.execPath, args: ["x"], cwd: process.cwd(), env: { A: "1" } };

  it("gives a POSIX child its own session, three pipes and exactly its environment", () => {
    expect(launchPlan(options, "linux").options).toStrictEqual({
      cwd: options.cwd,
      env: { A: "1" },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
      shell: false,
    });
  });

  it("opens no console window on Windows", () => {
    expect(launchPlan({ ...options, stdio: ["ignore", "pipe", "inherit"] }, "win32")).toStrictEqual({
      command: options.command,
      args: ["x"],
      options: {
        cwd: options.cwd,
        env: { A: "1" },
        stdio: ["ignore", "pipe", "inherit"],
        windowsHide: true,
        shell: false,
      },
    });
  });
});

describe("resolveCommand on Windows", () => {
  const files = new Set([
    "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.EXE",
    "C:\\tools\\npx.CMD",
    "C:\\tools\\npx",
    "C:\\work\\here.EXE",
    "C:\\work\\a.b.EXE",
    "C:\\Program Files\\PowerShell\\7\\pwsh.exe",
  ]);
  const at = {
    cwd: "C:\\work",
    path: 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\;;"C:\\tools"',
    extensions: ".COM;.EXE;.BAT;.CMD",
    platform: "win32",
    isFile: (file: string) => files.has(file),
  } as const;

  it.each([
    ["powershell", "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.EXE"],
    ["npx", "C:\\tools\\npx.CMD"],
    [".\\here", "C:\\work\\here.EXE"],
    ["./here.EXE", "C:\\work\\here.EXE"],
    [".\\a.b", "C:\\work\\a.b.EXE"],
    ["C:\\Program Files\\PowerShell\\7\\pwsh.exe", "C:\\Program Files\\PowerShell\\7\\pwsh.exe"],
  ])("finds %s as Windows does, its extension left out or not", (command, file) => {
    expect(resolveCommand(command, at)).toBe(file);
    expect(resolveCommand(command, { ...at, extensions: undefined })).toBe(file);
  });

  it("does not look where it is started, nor for what is no program", () => {
    for (const command of ["here", "", "nosuch", "C:\\tools\\nosuch"])
      expect(() => resolveCommand(command, at)).toThrow(/no such command/);
    expect(() => resolveCommand("npx", { ...at, extensions: ".EXE" })).toThrow(/no such command/);
    expect(() => resolveCommand("powershell", { ...at, path: undefined })).toThrow(/no such command/);
  });
});

describe("taskkillArgs", () => {
  it("ends the tree by force", () => {
    expect(taskkillArgs(42)).toStrictEqual(["/PID", "42", "/T", "/F"]);
  });
});
