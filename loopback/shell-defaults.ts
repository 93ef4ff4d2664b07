import { homedir } from "node:os";
import { posix, win32 } from "node:path";
import { variable, type Variables } from "./environment.ts";
import { isProgram } from "./may-execute.ts";

/*
 * What a command gets whose caller leaves the shell or the folder to us. Who asks the person about it, and who starts it, take
 * it from here: what is shown is what runs.
 */

/** Login "shells" that run nothing, as system users have. */
const NO_SHELLS = new Set(["nologin", "false", "true"]);

/** The person's shell, if it is one that runs something; else bash, else sh; on Windows its command interpreter. */
export function defaultShell(
  env: Variables,
  platform: NodeJS.Platform = process.platform,
  isUsable: (file: string) => boolean = isProgram,
): string {
  const wanted = variable(env, "SHELL", platform);
  if (platform === "win32") {
    const found = [wanted, variable(env, "COMSPEC", platform)].find(
      (file) => file !== undefined && isOfWindows(file) && isUsable(file),
    );
    return found ?? win32.join(variable(env, "SYSTEMROOT", platform) ?? "C:\\Windows", "System32", "cmd.exe");
  }
  const runs = (file: string | undefined) =>
    file !== undefined && posix.isAbsolute(file) && !NO_SHELLS.has(posix.basename(file)) && isUsable(file);
  return [wanted, "/bin/bash"].find(runs) ?? "/bin/sh";
}

/** The person's home. */
export function defaultFolder(
  env: Variables,
  platform: NodeJS.Platform = process.platform,
  home: () => string = homedir,
): string {
  // On Windows only ports of Unix programs set HOME, some of them to paths that nobody else understands.
  return (platform === "win32" ? undefined : variable(env, "HOME", platform)) ?? home();
}

/** A full path. Ports of Unix programs have others, which only they understand: `/usr/bin/bash`. */
function isOfWindows(file: string): boolean {
  return win32.isAbsolute(file) && !file.startsWith("/");
}
