import { spawn } from "node:child_process";
import { ROOT } from "./paths.mjs";

/**
 * Runs a script of package.json, with its output where ours goes.
 * @param {string} script
 * @param {string[]} [args]
 * @returns {Promise<number>} its exit code
 */
export function runNpmScript(script, args = []) {
  const child = spawn("npm", ["run", "--silent", script, "--", ...args], { cwd: ROOT, stdio: "inherit" });
  const forward = (/** @type {NodeJS.Signals} */ signal) => void child.kill(signal);
  process.on("SIGTERM", forward);
  child.once("exit", () => process.off("SIGTERM", forward));
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("exit", (code) => done(code ?? 1));
  });
}
