// `npm run test:conformance`: the public MCP conformance suites against the endpoint's code, then the Inspector against
// the running app. Results go to test-results/conformance/; the exit code is 0 only when every scored scenario passes.
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SWITCH, readArguments } from "../../build/arguments.mjs";
import { runScript, say } from "../../build/console.mjs";
import { ROOT } from "../../build/paths.mjs";
import { node22, tool } from "../../build/tools.mjs";
import { startFixture } from "./fixture-endpoint.mjs";
import { inspect } from "./inspector.mjs";

const RESULTS = join(ROOT, "test-results", "conformance");
/** A run takes about a minute; a suite that hangs must not hang the machine. */
const SUITE_LIMIT_MS = 10 * 60_000;

/** @type {{ name: string, tool: "suite-0.1" | "suite-0.2", args: string[] }[]} */
const RUNS = [
  { name: "0.1.16, active suite", tool: "suite-0.1", args: ["--suite", "active"] },
  { name: "0.2.0-alpha.12, 2025-11-25", tool: "suite-0.2", args: ["--requirements", "2025-11-25"] },
  { name: "0.2.0-alpha.12, 2026-07-28", tool: "suite-0.2", args: ["--requirements", "2026-07-28"] },
];

/**
 * @param {string} node
 * @param {string[]} args
 * @returns {Promise<{ code: number, text: string }>}
 */
function runSuite(node, args) {
  const child = spawn(node, args, { cwd: RESULTS, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part) => {
      text = (text + part).slice(-2_000_000);
    });
  const timer = setTimeout(() => child.kill("SIGKILL"), SUITE_LIMIT_MS);
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => {
      clearTimeout(timer);
      done({ code: code ?? 1, text });
    });
  });
}

/**
 * Counts what a run left behind: the suites write one checks.json per scenario.
 * @param {string} folder
 */
function countChecks(folder) {
  const counts = { scenarios: 0, passed: 0, failed: 0 };
  /** @type {string[]} */
  const failures = [];
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith("checks.json")) continue;
    counts.scenarios += 1;
    for (const check of JSON.parse(readFileSync(join(folder, name), "utf8"))) {
      if (check.status === "SUCCESS") counts.passed += 1;
      if (check.status !== "FAILURE") continue;
      counts.failed += 1;
      failures.push(`${name.split("/")[0]}: ${check.id}: ${check.errorMessage ?? ""}`.slice(0, 300));
    }
  }
  return { ...counts, failures };
}

/**
 * A wrong token, or none, is refused before the protocol.
 * @param {string} url
 */
async function refusesStrangers(url) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  for (const authorization of [undefined, "Bearer made-up"]) {
    const headers = { "content-type": "application/json", ...(authorization ? { authorization } : {}) };
    const { status } = await fetch(url, { method: "POST", headers, body });
    if (status !== 401)
      return `a request ${authorization ? "with a made-up token" : "without a token"} got ${status}`;
  }
  return undefined;
}

await runScript(async () => {
  const { "no-inspector": withoutInspector = false } = readArguments({
    usage: "npm run test:conformance -- [--no-inspector]",
    about: "The public MCP conformance suites, then the Inspector; fetches both the first time.",
    flags: { "no-inspector": SWITCH },
  });
  rmSync(RESULTS, { recursive: true, force: true });
  mkdirSync(RESULTS, { recursive: true });
  const node = await node22();
  const fixture = await startFixture();
  /** @type {Record<string, unknown>[]} */
  const summary = [];
  let failed = 0;
  try {
    const stranger = await refusesStrangers(fixture.direct);
    if (stranger !== undefined) say(`bearer: ${stranger}`);
    failed += stranger === undefined ? 0 : 1;
    for (const { name, tool: suite, args } of RUNS) {
      const folder = join(RESULTS, name.replaceAll(/[^a-z0-9.]+/g, "-"));
      mkdirSync(folder, { recursive: true });
      const entry = await tool(suite);
      const { code, text } = await runSuite(node, [
        entry,
        "server",
        "--url",
        fixture.url,
        "-o",
        folder,
        ...args,
      ]);
      writeFileSync(join(folder, "output.txt"), text);
      const { failures, ...counts } = countChecks(folder);
      if (code !== 0) failed += 1;
      summary.push({ run: name, exit: code, ...counts, failures });
      say(`${code === 0 ? "passes" : "FAILS "} ${name}: ${JSON.stringify(counts)}`);
      // The suite counts scored scenarios only; what else failed (extensions that no server here offers) is in the summary.
      if (code !== 0) for (const line of failures) say(`    failed: ${line}`);
    }
  } finally {
    await fixture.close();
  }
  if (!withoutInspector) {
    const inspector = await inspect(node, await tool("inspector"), RESULTS);
    summary.push({ run: "inspector 2.12.0", ...inspector });
    failed += inspector.failures.length;
    say(
      `${inspector.failures.length === 0 ? "passes" : "FAILS "} Inspector 2.12.0: ${inspector.passed} expectations met`,
    );
    for (const line of inspector.failures) say(`    failed: ${line}`);
  }
  writeFileSync(join(RESULTS, "summary.json"), `${JSON.stringify(summary, null, 2)}\n`);
  say(`results: ${RESULTS}`);
  return failed === 0 ? 0 : 1;
});
