import { logError } from "./log.ts";

let up = false;

/** From now on an exception that nobody caught is logged and no longer ends the app. */
export function appIsUp(): void {
  up = true;
}

/** Before the app is up nobody sees it, and it may never come up: it ends, and the reaper ends what it had started. */
function onUncaught(what: string, cause: unknown): void {
  logError("main", up ? what : "could not start", cause);
  if (!up) process.exit(1);
}

/**
 * Imported before everything else. Node starts its debugger on SIGUSR1 unless somebody listens, and Electron shows a
 * dialog box for an exception in main unless somebody listens: a debugger gives main away, a dialog box stops it.
 */
process.on("SIGUSR1", () => {});
process.on("uncaughtException", (error) => onUncaught("an exception that nobody caught", error));
process.on("unhandledRejection", (reason) => onUncaught("a rejection that nobody caught", reason));

// Whoever read our output may be gone; writing to nobody is not a reason to end.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});
