// The end-to-end tests against the built app in real Electron: `node build/e2e.mjs [Playwright's arguments]`.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { electronCommand } from "./app.mjs";
import { answerHelp } from "./arguments.mjs";
import { runScript, say } from "./console.mjs";
import { withDisplay } from "./display.mjs";
import { electronRuntime } from "./electron-runtime.mjs";
import { ROOT } from "./paths.mjs";

const PLAYWRIGHT = join(ROOT, "node_modules", "@playwright", "test", "cli.js");

await runScript(() => {
  answerHelp({
    usage: "npm run e2e -- [PART OF A FILE'S PATH ...] [-g TITLE] [Playwright's other flags]",
    about: "The end-to-end tests against the built app; `npx playwright test --help` lists the other flags.",
  });
  electronCommand([]); // asks for what has to be there once, not in every test
  const { version, origin } = electronRuntime();
  say(`end-to-end tests on Electron ${version} (${origin})`);
  // Profiles, sockets, whatever an app that a test kills leaves behind: all in one folder, which goes with this run.
  const temporary = mkdtempSync(join(tmpdir(), "ironbridge-e2e-"));
  return withDisplay(async (env) => {
    const args = [PLAYWRIGHT, "test", "-c", "e2e/playwright.config.ts", ...process.argv.slice(2)];
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...env, TMPDIR: temporary },
      stdio: "inherit",
    });
    // Ctrl-C reaches Playwright by itself; this process has to stay until it is done, and then end the display.
    process.on("SIGINT", () => {});
    for (const signal of /** @type {const} */ (["SIGTERM", "SIGHUP"]))
      process.on(signal, () => void child.kill(signal));
    /** @type {Promise<number>} */
    const ended = new Promise((done, fail) => {
      child.once("error", fail);
      child.once("exit", (code) => done(code ?? 1));
    });
    return ended;
  }).finally(() => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));
});
