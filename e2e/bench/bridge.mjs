// `npm run bench:bridge`: measures the terminals of the built app in real Electron, beside bare references in the same run.
// The last line is one JSON object; raw samples are kept in test-results/bench/bridge.json.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "../../build/arguments.mjs";
import { runScript, say } from "../../build/console.mjs";
import { withDisplay } from "../../build/display.mjs";
import { ROOT } from "../../build/paths.mjs";

const RESULT = join(ROOT, "test-results", "bench", "bridge.json");
const PLAYWRIGHT = join(ROOT, "node_modules", "@playwright", "test", "cli.js");

await runScript(async () => {
  readArguments({
    usage: "npm run bench:bridge",
    about: "Measures the terminals of the built app beside bare references.",
  });
  rmSync(RESULT, { force: true });
  const code = await withDisplay((env) => {
    const args = [PLAYWRIGHT, "test", "-c", "e2e/bench/playwright.config.ts", "bridge"];
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: "inherit" });
    process.on("SIGINT", () => {});
    return new Promise((done, fail) => {
      child.once("error", fail);
      child.once("exit", (exitCode) => done(exitCode ?? 1));
    });
  });
  if (code !== 0 || !existsSync(RESULT)) return code || 1;
  const { figures, reference } = JSON.parse(readFileSync(RESULT, "utf8"));
  say(JSON.stringify({ bench: "bridge", figures, reference }));
  return 0;
});
