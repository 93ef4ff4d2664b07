import { logError } from "./log.ts";

/**
 * Imported before everything else. Node starts its debugger on SIGUSR1 unless somebody listens, and Electron shows a
 * dialog box for an exception in main unless somebody listens: a debugger gives main away, a dialog box stops it.
 */
process.on("SIGUSR1", () => {});
process.on("uncaughtException", (error) => logError("main", "an exception that nobody caught", error));
process.on("unhandledRejection", (reason) => logError("main", "a rejection that nobody caught", reason));

// Whoever read our output may be gone; writing to nobody is not a reason to end.
process.stdout.on("error", () => {});
process.stderr.on("error", () => {});
