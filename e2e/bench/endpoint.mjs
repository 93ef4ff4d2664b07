// `npm run bench:endpoint`: a read tool through the built app's endpoint, against the same call straight to
// `ironbridge-mcp` over HTTP, in one run and call by call in turn; and the list of tools. Raw samples are kept.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readArguments, wholeNumber } from "../../build/arguments.mjs";
import { runScript, say } from "../../build/console.mjs";
import { DIST, ROOT } from "../../build/paths.mjs";
import { startApp } from "../app-process.mjs";
import { rawClient } from "./raw-mcp.mjs";

const DEFAULT_CALLS = 2_000;
const READ = { name: "ironflow_list_functions", arguments: {} };
const ERAS = /** @type {const} */ (["modern", "handshake"]);

/** @param {number[]} samples @param {number} part */
const percentile = (samples, part) =>
  [...samples].sort((a, b) => a - b)[Math.min(samples.length - 1, Math.floor(part * samples.length))] ?? NaN;
/** @param {number} value */
const rounded = (value) => Math.round(value * 1000) / 1000;

/** @param {() => Promise<unknown>} work */
async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * The same tool server that the app has as its child, on the app's engine, over HTTP.
 * @param {string} engineUrl
 * @param {string} apiKey
 */
async function startDirect(engineUrl, apiKey) {
  const folder = mkdtempSync(join(tmpdir(), "ironbridge-bench-"));
  const portFile = join(folder, "port");
  const token = randomBytes(24).toString("base64url");
  const flags = ["--transport", "streamable-http", `--port-file=${portFile}`, "--server-url", engineUrl];
  const child = spawn(process.execPath, [join(DIST, "mcp-server.cjs"), "--allow-writes", ...flags], {
    env: { IRONFLOW_MCP_BEARER_TOKEN: token, IRONFLOW_API_KEY: apiKey },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const exited = new Promise((done) => child.once("exit", done));
  const deadline = Date.now() + 30_000;
  while (!existsSync(portFile)) {
    if (Date.now() > deadline) throw new Error("ironbridge-mcp did not write its port");
    await sleep(20);
  }
  return {
    url: `http://127.0.0.1:${readFileSync(portFile, "utf8").trim()}/mcp`,
    token,
    async close() {
      child.kill("SIGTERM");
      await exited;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

await runScript(async () => {
  // Measured calls of each side and era.
  const { calls = DEFAULT_CALLS } = readArguments({
    usage: "npm run bench:endpoint -- [CALLS]",
    about: `Measures a read tool through the app's endpoint; calls of each side, ${DEFAULT_CALLS} unless given.`,
    words: { calls: wholeNumber(1, 1_000_000) },
  });
  const warmUp = Math.ceil(calls / 10);
  const app = await startApp(["--allow-writes", "--terminals"]);
  const appToken = readFileSync(app.connection.mcp.token_file, "utf8").trim();
  const apiKey = engineKey(app.userDataDir);
  const direct = await startDirect(app.connection.engine.url, apiKey);
  const throughApp = rawClient(app.connection.mcp.url, appToken);
  const straight = rawClient(direct.url, direct.token);
  /** @type {Record<string, number[]>} */
  const samples = {};
  let listed = 0;
  try {
    for (const era of ERAS) {
      const app_ = (samples[`${era}_app_ms`] = /** @type {number[]} */ ([]));
      const direct_ = (samples[`${era}_direct_ms`] = /** @type {number[]} */ ([]));
      const list = (samples[`${era}_list_ms`] = /** @type {number[]} */ ([]));
      for (let at = -warmUp; at < calls; at += 1) {
        // Whoever goes first changes, so that neither always profits from a warm engine.
        const order = at % 2 === 0 ? [throughApp, straight] : [straight, throughApp];
        for (const client of order) {
          const ms = await timed(() => client[era]("tools/call", READ));
          if (at >= 0) (client === throughApp ? app_ : direct_).push(ms);
        }
      }
      for (let at = -warmUp; at < Math.ceil(calls / 4); at += 1) {
        const ms = await timed(async () => {
          const { tools } = await throughApp[era]("tools/list");
          listed = tools.length;
        });
        if (at >= 0) list.push(ms);
      }
    }
  } finally {
    throughApp.close();
    straight.close();
    await direct.close();
    await app.close();
  }
  const folder = join(ROOT, "test-results", "bench");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "endpoint.json"), JSON.stringify({ calls, listed, samples }));

  const of = (/** @type {string} */ name, /** @type {number} */ part) =>
    percentile(samples[name] ?? [], part);
  /** @type {Record<string, number>} */
  const figures = {};
  /** @type {Record<string, number>} */
  const reference = {};
  for (const era of ERAS) {
    const prefix = era === "modern" ? "" : "handshake_";
    for (const [label, part] of /** @type {const} */ ([
      ["p50", 0.5],
      ["p99", 0.99],
    ])) {
      figures[`${prefix}app_vs_direct_${label}`] = rounded(
        of(`${era}_app_ms`, part) / of(`${era}_direct_ms`, part),
      );
      reference[`${prefix}direct_${label}_ms`] = rounded(of(`${era}_direct_ms`, part));
      reference[`${prefix}app_${label}_ms`] = rounded(of(`${era}_app_ms`, part));
    }
    figures[`${prefix}list_46_p50_ms`] = rounded(of(`${era}_list_ms`, 0.5));
  }
  figures["tools_listed"] = listed;
  say(JSON.stringify({ bench: "endpoint", figures, reference }));
});

/**
 * The key that the embedded engine made for its owner.
 * @param {string} userDataDir
 */
function engineKey(userDataDir) {
  const file = join(userDataDir, "engine", ".ironflow_bootstrap_key.json");
  return String(JSON.parse(readFileSync(file, "utf8")).key);
}
