// Starts the built app: `node build/app.mjs FLAGS`. The tests start it by the same two functions.
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statfsSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { BAD_INPUT, FlagError, askedToInform, readFlagWords } from "../electron/flag-words.mjs";
import { readChromiumOutput } from "./chromium-output.mjs";
import { Answer, END_SIGNALS, Problem, runScript } from "./console.mjs";
import { withDisplay } from "./display.mjs";
import { electronPath } from "./electron-runtime.mjs";
import { assertPackages } from "./packages.mjs";
import { DIST, ROOT, isScript } from "./paths.mjs";

/**
 * @param {string[]} flags of the app
 * @returns {{ command: string, args: string[] }} how Electron is started with the built app
 */
export function electronCommand(flags) {
  assertPackages(ROOT);
  if (!existsSync(join(DIST, "main.cjs"))) {
    throw new Problem("The app is not built yet; run `npm run build` (or `npm start`, which does it).");
  }
  return { command: electronPath(), args: [ROOT, ...machineFlags(thisMachine()), ...flags] };
}

/** Chromium keeps pictures in shared memory; containers often have 64 MB of it, and pages die when that is full. */
const SMALL_SHARED_MEMORY_BYTES = 256 * 1024 * 1024;

/**
 * Flags for Chromium that depend on the machine only.
 * @param {{ platform: NodeJS.Platform, isRoot: boolean, sharedMemoryBytes: number }} machine
 * @returns {string[]}
 */
export function machineFlags({ platform, isRoot, sharedMemoryBytes }) {
  if (platform !== "linux") return [];
  return [
    ...(isRoot ? ["--no-sandbox"] : []), // it refuses to run as root with its sandbox
    ...(sharedMemoryBytes < SMALL_SHARED_MEMORY_BYTES ? ["--disable-dev-shm-usage"] : []),
  ];
}

function thisMachine() {
  const { platform } = process;
  const isRoot = process.getuid?.() === 0;
  if (platform !== "linux" || !existsSync("/dev/shm"))
    return { platform, isRoot, sharedMemoryBytes: Infinity };
  const { blocks, bsize } = statfsSync("/dev/shm");
  return { platform, isRoot, sharedMemoryBytes: blocks * bsize };
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv} without what would make Electron something else than the app
 */
export function appEnvironment(env) {
  const kept = { ...env };
  delete kept["ELECTRON_RUN_AS_NODE"]; // editors built on Electron leave it in their terminals
  return kept;
}

/** What the app would refuse, in its own words and with its own exit code. */
class BadFlag extends Problem {
  /** @override */
  exitCode = BAD_INPUT;
}

/**
 * What the app does with its flags before it starts: answers `--help` and `--version`, and refuses what is no flag. The app
 * itself does it too, but needs packages and a screen for that. The values of flags are left to it.
 * @param {string[]} flags
 * @throws {Answer | BadFlag}
 */
export function readAppFlags(flags) {
  const read = (/** @type {string[]} */ ...path) => JSON.parse(readFileSync(join(ROOT, ...path), "utf8"));
  const wanted = askedToInform(flags);
  if (wanted === "help") throw new Answer(read("electron", "help.json").lines.join("\n"));
  if (wanted === "version") {
    const { productName, version } = read("package.json");
    throw new Answer(`${productName} ${version}`);
  }
  try {
    readFlagWords(flags, { packaged: false, cwd: process.cwd(), appPath: ROOT });
  } catch (error) {
    throw error instanceof FlagError ? new BadFlag(error.message) : error;
  }
}

const HELPERS_END_WITHIN_MS = 2_000;

/**
 * Runs the app until it ends; signals that end a program and reach this process go on to it.
 * @param {string[]} flags
 * @returns {Promise<number>} its exit code; 128 + n when signal n ended it
 */
export async function runApp(flags) {
  const { command, args } = electronCommand(flags);
  return withDisplay((env) => {
    // In a group of its own: a Ctrl-C would otherwise arrive twice, from the terminal and from here.
    const child = spawn(command, args, {
      cwd: process.cwd(),
      detached: true,
      env: appEnvironment(env),
      stdio: ["ignore", "inherit", "pipe"],
    });
    if (child.stderr !== null) readChromiumOutput(child.stderr, flags, (text) => process.stderr.write(text));
    const forward = (/** @type {NodeJS.Signals} */ signal) => void child.kill(signal);
    for (const signal of END_SIGNALS) process.on(signal, forward);
    /** @type {Promise<number>} */
    const ended = new Promise((done, fail) => {
      child.once("error", fail);
      child.once("exit", (code, signal) => {
        const end = () => done(code ?? 128 + (signal ? constants.signals[signal] : 0));
        // Chromium's helpers end a moment later, and complain when their screen goes before them.
        child.once("close", end);
        setTimeout(end, HELPERS_END_WITHIN_MS).unref();
      });
    });
    return ended.finally(() => {
      for (const signal of END_SIGNALS) process.off(signal, forward);
    });
  });
}

if (isScript(import.meta.url)) {
  await runScript(() => {
    const flags = process.argv.slice(2);
    readAppFlags(flags);
    return runApp(flags);
  });
}
