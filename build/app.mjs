// Starts the built app: `node build/app.mjs FLAGS`. The tests start it by the same two functions.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { Problem, runScript } from "./console.mjs";
import { withDisplay } from "./display.mjs";
import { electronPath } from "./electron-runtime.mjs";
import { DIST, ROOT, isScript } from "./paths.mjs";

/**
 * @param {string[]} flags of the app
 * @returns {{ command: string, args: string[] }} how Electron is started with the built app
 */
export function electronCommand(flags) {
  if (!existsSync(join(DIST, "main.cjs"))) {
    throw new Problem("The app is not built yet; run `npm run build` (or `npm start`, which does it).");
  }
  return { command: electronPath(), args: [ROOT, ...sandboxFlags(), ...flags] };
}

/** Chromium's sandbox refuses to run as root. */
export function sandboxFlags() {
  return process.platform === "linux" && process.getuid?.() === 0 ? ["--no-sandbox"] : [];
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv} without what would make Electron something else than the app
 */
export function appEnvironment(env) {
  const kept = { ...env };
  delete kept["ELECTRON_RUN_AS_NODE"]; // editors built on Electron leave it in their terminals
  return kept;
}

/**
 * Runs the app until it ends; SIGINT and SIGTERM that reach this process go on to it.
 * @param {string[]} flags
 * @returns {Promise<number>} its exit code; 128 + n when signal n ended it
 */
export function runApp(flags) {
  const { command, args } = electronCommand(flags);
  return withDisplay((env) => {
    // In a group of its own: a Ctrl-C would otherwise arrive twice, from the terminal and from here.
    const child = spawn(command, args, {
      cwd: process.cwd(),
      detached: true,
      env: appEnvironment(env),
      stdio: ["ignore", "inherit", "inherit"],
    });
    const forward = (/** @type {NodeJS.Signals} */ signal) => void child.kill(signal);
    process.on("SIGINT", forward).on("SIGTERM", forward);
    return new Promise((done, fail) => {
      child.once("error", fail);
      child.once("exit", (code, signal) => done(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    }).finally(() => process.off("SIGINT", forward).off("SIGTERM", forward));
  });
}

if (isScript(import.meta.url)) {
  await runScript(() => runApp(process.argv.slice(2)));
}
