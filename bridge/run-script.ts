import { basename, win32 } from "node:path";

/** How a shell is told to run a script file: what the file's name has to end in, and the arguments. */
export interface ScriptRun {
  suffix: string;
  args(script: string): string[];
}

const PLAIN: ScriptRun = { suffix: "", args: (script) => [script] };
const CMD: ScriptRun = { suffix: ".cmd", args: (script) => ["/d", "/q", "/c", script] };
const POWERSHELL: ScriptRun = {
  suffix: ".ps1",
  args: (script) => ["-NoLogo", "-NoProfile", "-ExecutionPolicy", "Bypass", "-File", script],
};

/** Everywhere but on Windows, and there for every shell but its own two, the file alone does. */
export function scriptRun(shell: string, platform: NodeJS.Platform = process.platform): ScriptRun {
  const name = (platform === "win32" ? win32.basename(shell) : basename(shell))
    .toLowerCase()
    .replace(/\.exe$/, "");
  if (name === "pwsh" || name === "powershell") return POWERSHELL;
  return platform === "win32" && name === "cmd" ? CMD : PLAIN;
}
