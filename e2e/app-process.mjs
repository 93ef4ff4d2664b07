// The built app as a plain process, for runs that need no Playwright: started as `npm run app` starts it, with a profile of
// its own, and ended in order.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { appEnvironment, electronCommand } from "../build/app.mjs";
import { withDisplay } from "../build/display.mjs";

const READY_WITHIN_MS = 120_000;

/**
 * @typedef {object} AppProcess
 * @property {any} connection parsed connection.json
 * @property {string} connectionFile
 * @property {string} userDataDir
 * @property {number} pid of main
 * @property {() => Promise<void>} close ends the app and removes the profile unless it was given
 */

/**
 * @param {string[]} flags
 * @param {{ userDataDir?: string }} [options] a folder that is given is kept
 * @returns {Promise<AppProcess>} once the app says that it is ready
 */
export async function startApp(flags, options = {}) {
  electronCommand([]); // asks for what has to be there before a display is held that nobody would let go
  const userDataDir = options.userDataDir ?? mkdtempSync(join(tmpdir(), "ironbridge-app-"));
  /** @type {() => void} */
  let letDisplayGo = () => {};
  const held = new Promise((done) => (letDisplayGo = () => done(0)));
  /** @type {Promise<void>} */
  let displayEnded = Promise.resolve();
  const env = await new Promise((got, fail) => {
    displayEnded = withDisplay(async (/** @type {NodeJS.ProcessEnv} */ display) => {
      got(display);
      await held;
      return 0;
    }).then(() => undefined, fail);
  });
  const { command, args } = electronCommand([`--user-data-dir=${userDataDir}`, ...flags]);
  const child = spawn(command, args, {
    env: appEnvironment(env),
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = new Promise((done) => child.once("exit", done));
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said = (said + text).slice(-20_000);
  });
  const connectionFile = await new Promise((done, fail) => {
    const timer = setTimeout(
      () => fail(new Error(`the app is not ready; it said:\n${said}`)),
      READY_WITHIN_MS,
    );
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("ready ")) {
        clearTimeout(timer);
        done(line.slice("ready ".length));
      }
    });
    void exited.then(() => fail(new Error(`the app has ended before it was ready; it said:\n${said}`)));
  });
  return {
    connection: JSON.parse(readFileSync(connectionFile, "utf8")),
    connectionFile,
    userDataDir,
    pid: child.pid ?? 0,
    async close() {
      child.kill("SIGTERM");
      await exited;
      letDisplayGo();
      await displayEnded;
      if (options.userDataDir === undefined)
        rmSync(userDataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
