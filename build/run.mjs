import { spawn } from "node:child_process";
import { Problem } from "./console.mjs";
import { withoutSecrets } from "./secrets.mjs";

const KEPT_CHARS = 8_000;
const LINE_CHARS = 70;

/**
 * Runs a command to its end; its output is kept and only shown when it fails.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, advice: string, onLine?: (line: string) => void }} options
 *   `advice`: what to do when it fails; `onLine`: gets the start of the newest line of its output
 * @returns {Promise<string>} the end of what it wrote to stdout
 */
export async function run(command, args, { cwd, env = process.env, advice, onLine }) {
  const child = spawn(command, args, {
    cwd,
    env: withoutSecrets(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  // When this process has to end early, the command must not go on alone.
  const endWithUs = () => void child.kill();
  process.once("exit", endWithUs);
  let out = "";
  let all = "";
  child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    out = (out + text).slice(-KEPT_CHARS);
    const line = text.trimEnd().split("\n").at(-1)?.trim() ?? "";
    if (line !== "") onLine?.(line.slice(0, LINE_CHARS));
    all = (all + text).slice(-KEPT_CHARS);
  });
  child.stderr.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    all = (all + text).slice(-KEPT_CHARS);
  });
  /** @type {Error | number | string} */
  const outcome = await new Promise((done) => {
    child.once("error", done);
    child.once("close", (code, signal) => done(code ?? signal ?? "unknown"));
  });
  process.off("exit", endWithUs);
  if (outcome === 0) return out;
  const why = outcome instanceof Error ? outcome.message : `ended with ${outcome}`;
  throw new Problem(`${all}\n${[command, ...args].join(" ")} ${why}; ${advice}`);
}
