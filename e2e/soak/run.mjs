// The long runs of the built app: `node e2e/soak/run.mjs kills|away|keys|switches [rounds or seconds]`.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oneOf, readArguments, wholeNumber } from "../../build/arguments.mjs";
import { runScript } from "../../build/console.mjs";
import { withDisplay } from "../../build/display.mjs";
import { ROOT } from "../../build/paths.mjs";

const PLAYWRIGHT = join(ROOT, "node_modules", "@playwright", "test", "cli.js");

await runScript(() => {
  const { soak = "", amount = "" } = readArguments({
    usage: "node e2e/soak/run.mjs [kills|away|keys|switches] [ROUNDS OR SECONDS]",
    about: "The long runs of the built app, all four unless one is named.",
    words: { soak: oneOf(["kills", "away", "keys", "switches"]), amount: wholeNumber(1, 1_000_000) },
  });
  // Apps that are killed leave their temporary files: all in one folder, which goes with this run.
  const temporary = mkdtempSync(join(tmpdir(), "ironbridge-soak-"));
  return withDisplay((env) => {
    const args = [PLAYWRIGHT, "test", "-c", "e2e/soak/playwright.config.ts", "-g", `${soak}$`];
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...env, TMPDIR: temporary, IRONBRIDGE_SOAK_AMOUNT: String(amount) },
      stdio: "inherit",
    });
    process.on("SIGINT", () => {});
    return new Promise((done, fail) => {
      child.once("error", fail);
      child.once("exit", (code) => done(code ?? 1));
    });
  }).finally(() => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));
});
