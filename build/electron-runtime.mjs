// Which Electron the app, its tests and its package run on. The official one wins whenever it can be had; where its
// release page cannot be reached, a runtime from the npm registry serves development and tests (fallback-runtime.mjs).
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SWITCH, readArguments } from "./arguments.mjs";
import { makeCacheFolder } from "./cache-folder.mjs";
import { Problem, runScript, say, step } from "./console.mjs";
import { FALLBACK, fallbackBinary, hasFallbackFor, installFallback } from "./fallback-runtime.mjs";
import { ROOT, bytesUnder, cacheFolder, isScript } from "./paths.mjs";
import { withoutSecrets } from "./secrets.mjs";

/**
 * @typedef {object} ElectronRuntime
 * @property {string} path of the binary, absolute
 * @property {string} version like "45.5.0"
 * @property {"official" | "npm registry"} origin
 */

/** How long the release page may stay silent. A download that has begun goes on for as long as bytes arrive. */
const SILENCE_LIMIT_MS = 10_000;
/** How long a silent release page is not asked again. */
const REMEMBER_MS = 24 * 60 * 60 * 1_000;
const OFFICIAL = join(ROOT, "node_modules", "electron");

/**
 * The runtime that set-up has put in place; touches no network.
 * @returns {ElectronRuntime}
 * @throws {Problem} when there is none yet
 */
export function electronRuntime() {
  const runtime = officialRuntime() ?? fallbackRuntime();
  if (runtime === null) {
    throw new Problem("There is no Electron runtime yet; run `node build/setup.mjs` once.");
  }
  return runtime;
}

/** @returns {string} path of the binary */
export function electronPath() {
  return electronRuntime().path;
}

/**
 * Makes sure that there is a runtime, and says which one.
 * @param {{ retry?: boolean }} options `retry`: ask the release page again although it was silent last time
 * @returns {Promise<ElectronRuntime>}
 */
export async function ensureElectronRuntime({ retry = false } = {}) {
  if (officialRuntime() === null && (retry || !wasUnreachable())) await tryOfficial();
  if (officialRuntime() === null && fallbackRuntime() === null) {
    if (!hasFallbackFor(process.platform, process.arch)) {
      throw new Problem(
        `Electron ${wantedVersion()} could not be downloaded; check the network (or set ELECTRON_MIRROR) and run ` +
          "`node build/electron-runtime.mjs --retry`.",
      );
    }
    await installFallback();
  }
  const runtime = electronRuntime();
  say(
    runtime.origin === "official"
      ? `using Electron ${runtime.version}`
      : `using Electron ${runtime.version} from the npm registry: for development and tests, not for release`,
  );
  return runtime;
}

/** @returns {ElectronRuntime | null} */
function officialRuntime() {
  const version = readOr(join(OFFICIAL, "dist", "version"))
    ?.trim()
    .replace(/^v/, "");
  const binary = readOr(join(OFFICIAL, "path.txt"))?.trim();
  if (version !== wantedVersion() || version === undefined || binary === undefined) return null;
  const path = join(OFFICIAL, "dist", binary);
  return existsSync(path) ? { path, version, origin: "official" } : null;
}

/** @returns {ElectronRuntime | null} */
function fallbackRuntime() {
  const path = fallbackBinary();
  return existsSync(path) ? { path, version: FALLBACK.electron, origin: "npm registry" } : null;
}

/** The version that package.json pins, as installed. */
function wantedVersion() {
  const text = readOr(join(OFFICIAL, "package.json"));
  if (text === null) throw new Problem("The packages are not installed; run `node build/setup.mjs` once.");
  return String(JSON.parse(text).version);
}

/** Its age says when the release page did not answer: one file per version, shared by all clones. */
function unreachableFile() {
  return join(cacheFolder(), `electron-${wantedVersion()}-unreachable`);
}

function wasUnreachable() {
  const asked = statSync(unreachableFile(), { throwIfNoEntry: false })?.mtimeMs;
  return asked !== undefined && Date.now() - asked < REMEMBER_MS;
}

/** Runs the official package's own install script, and ends it when nothing arrives. */
async function tryOfficial() {
  const name = `ask the release page for Electron ${wantedVersion()}`;
  // What an interrupted installation left would count as progress.
  rmSync(join(OFFICIAL, "dist"), { recursive: true, force: true });
  const scratch = mkdtempSync(join(tmpdir(), "ironbridge-electron-"));
  try {
    const outcome = await step(name, (detail) => runInstallScript(scratch, detail));
    if (outcome === null) {
      rmSync(unreachableFile(), { force: true });
      return;
    }
    makeCacheFolder();
    writeFileSync(unreachableFile(), `${new Date().toISOString()} ${outcome}\n`);
    say(
      `  not available (${outcome}); \`node build/electron-runtime.mjs --retry\` asks again before tomorrow`,
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * @param {string} scratch the script downloads under this folder (its TMPDIR), so its growth is the progress
 * @param {(text: string) => void} detail
 * @returns {Promise<string | null>} null: installed; else why not, in a few words
 */
async function runInstallScript(scratch, detail) {
  const child = spawn(process.execPath, [join(OFFICIAL, "install.js")], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...withoutSecrets(process.env), TMPDIR: scratch, TEMP: scratch, TMP: scratch },
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    stderr = (stderr + text).slice(-4_000);
  });
  /** @type {Promise<number | null>} */
  const closed = new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => done(code));
  });
  let seenBytes = 0;
  let lastGrowthMs = Date.now();
  let silent = false;
  const endWithUs = () => void child.kill();
  process.once("exit", endWithUs);
  const watch = setInterval(() => {
    const bytes = bytesUnder(scratch);
    if (bytes !== seenBytes) {
      lastGrowthMs = Date.now();
      detail(`${Math.round(bytes / 1e6)} MB`);
    } else if (Date.now() - lastGrowthMs > SILENCE_LIMIT_MS && !isUnpacking()) {
      silent = true;
      child.kill("SIGKILL");
    }
    seenBytes = bytes;
  }, 500);
  try {
    const code = await closed;
    if (silent) return `nothing arrived for ${SILENCE_LIMIT_MS / 1000} s`;
    if (code === 0 && officialRuntime() !== null) return null;
    return firstLine(stderr) || `its install script ended with code ${code}`;
  } finally {
    clearInterval(watch);
    process.off("exit", endWithUs);
  }
}

/** The download is complete and being unpacked: no bytes arrive, and that is fine. */
function isUnpacking() {
  return existsSync(join(OFFICIAL, "dist"));
}

/** @param {string} text */
function firstLine(text) {
  return text.split("\n", 1)[0]?.trim() ?? "";
}

/** @param {string} path */
function readOr(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

if (isScript(import.meta.url)) {
  await runScript(async () => {
    const { retry = false } = readArguments({
      usage: "node build/electron-runtime.mjs [--retry]",
      about: "Makes sure that there is an Electron; --retry asks a release page again that was silent today.",
      flags: { retry: SWITCH },
    });
    await ensureElectronRuntime({ retry });
  });
}
