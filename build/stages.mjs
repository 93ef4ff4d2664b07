// Every check and test of `npm test`, in the order of what fails fastest; stops at the first failure. The commands themselves
// are the scripts of package.json, so each can be run alone by the same name.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { elapsed, say } from "./console.mjs";
import { electronRuntime } from "./electron-runtime.mjs";
import { runNpmScript } from "./npm-script.mjs";
import { ROOT } from "./paths.mjs";
import { ensureTestPackages } from "./system-packages.mjs";
import { failureText, playwrightFailures, vitestFailures } from "./test-failures.mjs";
import { NOTHING_RUN, addCounts, playwrightCounts, vitestCounts } from "./test-counts.mjs";

const RESULTS = join(ROOT, "test-results");

/**
 * @typedef {import("./test-counts.mjs").Counts} Counts
 * @typedef {import("./test-failures.mjs").Failure} Failure
 * @typedef {{ file: string, count: (report: unknown) => Counts, failures: (report: unknown) => Failure[] }} Report
 * @typedef {{ name: string, script: string, args?: string[], report?: Report }} Stage
 */

/** @type {Stage[]} */
const STAGES = [
  { name: "format", script: "check:format" },
  { name: "lint", script: "check:lint" },
  { name: "types", script: "check:types" },
  vitestStage("unit tests", "check:unit", "unit"),
  { name: "bundle", script: "build" },
  vitestStage("process tests", "test:process", "process"),
  {
    name: "end-to-end tests",
    script: "e2e",
    report: { file: "e2e.json", count: playwrightCounts, failures: playwrightFailures },
  },
];

/**
 * @param {string} name
 * @param {string} script
 * @param {string} project
 * @returns {Stage}
 */
function vitestStage(name, script, project) {
  const file = `${project}.json`;
  const args = ["--reporter=default", "--reporter=json", `--outputFile.json=${join(RESULTS, file)}`];
  return { name, script, args, report: { file, count: vitestCounts, failures: vitestFailures } };
}

/**
 * @param {Stage} stage
 * @returns {Promise<{ code: number, counts: Counts, failures: Failure[] }>}
 */
async function runStage({ script, args = [], report }) {
  const path = report === undefined ? "" : join(RESULTS, report.file);
  if (path !== "") rmSync(path, { force: true }); // an old report must not speak for this run
  const code = await runNpmScript(script, args);
  if (report === undefined) return { code, counts: NOTHING_RUN, failures: [] };
  if (!existsSync(path)) return { code: code || 1, counts: NOTHING_RUN, failures: [] };
  const read = JSON.parse(readFileSync(path, "utf8"));
  return { code, counts: report.count(read), failures: report.failures(read) };
}

/** @returns {Promise<number>} the exit code: 0 when all of them passed */
export async function runStages() {
  process.on("SIGINT", () => {}); // it reaches the stage that is running, whose failure ends this
  mkdirSync(RESULTS, { recursive: true });
  await ensureTestPackages();
  const { version, origin } = electronRuntime();
  say(`Electron ${version} (${origin}), Node ${process.versions.node}`);
  const start = Date.now();
  let total = NOTHING_RUN;
  let failure = "";
  for (const stage of STAGES) {
    const stageStart = Date.now();
    say(`\n== ${stage.name} ==`);
    const { code, counts, failures } = await runStage(stage);
    total = addCounts(total, counts);
    if (code !== 0) failure = `${stage.name} failed (code ${code})`;
    else if (stage.report !== undefined && counts.passed === 0)
      failure = `${stage.name}: not one test was run`;
    if (failure !== "") {
      // A stage without counts, or one that failed outside of its tests, is still a failure in the sum.
      if (counts.failed === 0) total = addCounts(total, { passed: 0, failed: 1 });
      // Once more, where whoever looks at a long log looks first.
      if (failures.length > 0) say(failureText(failures));
      break;
    }
    say(`== ${stage.name}: ok in ${elapsed(stageStart)} ==`);
  }
  say(failure === "" ? `\nall ok in ${elapsed(start)}` : `\n${failure} after ${elapsed(start)}`);
  say(`${total.passed} passed, ${total.failed} failed`);
  return failure === "" ? 0 : 1;
}
