// A screen for the app where the machine has none.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Problem, say } from "./console.mjs";

const START_LIMIT_MS = 15_000;
const SCREEN = "1600x1000x24";

/**
 * Runs `work` with the environment that gives a graphical program a screen: the one at hand, else a virtual one
 * (Xvfb) that is ended and awaited afterwards.
 * @template T
 * @param {(env: NodeJS.ProcessEnv) => Promise<T>} work
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<T>}
 */
export async function withDisplay(work, env = process.env) {
  if (!needsVirtualDisplay(env)) return work(env);
  const display = await startVirtualDisplay();
  say(`no display: the app runs on a virtual one (Xvfb ${display.name})`);
  try {
    return await work({ ...env, DISPLAY: display.name, XAUTHORITY: display.authority });
  } finally {
    await display.stop();
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {NodeJS.Platform} platform
 */
export function needsVirtualDisplay(env, platform = process.platform) {
  return platform === "linux" && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"];
}

/**
 * Xvfb under a shell that ends it when our end of a pipe closes, so it does not outlive this process even when that
 * is killed; then it removes the cookie's folder. In a session of its own: Ctrl-C must reach the app first, or it would lose its screen while it quits.
 */
const KEEPER = `
folder=$1
shift
Xvfb "$@" 3>&3 4<&- &
xvfb=$!
exec 3>&-
{ read -r _ <&4; kill "$xvfb"; } 2>/dev/null &
reader=$!
exec 4<&-
wait "$xvfb"
kill "$reader" 2>/dev/null
rm -rf "$folder"
`;

/** What Xvfb and the shell that keeps it may see of ours: keys of engines and of everything else are none of it. */
const KEEPER_NAMES = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "XDG_RUNTIME_DIR"];

/** @param {NodeJS.ProcessEnv} env */
function keeperEnvironment(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => KEEPER_NAMES.includes(name)));
}

/** @returns {Promise<{ name: string, authority: string, stop: () => Promise<void> }>} */
export async function startVirtualDisplay() {
  const folder = mkdtempSync(join(tmpdir(), "ironbridge-display-"));
  const authority = join(folder, "authority");
  writeFileSync(authority, authorityFor(randomBytes(16)), { mode: 0o600 });
  const xvfb = [
    "-displayfd",
    "3",
    "-screen",
    "0",
    SCREEN,
    "-nolisten",
    "tcp",
    "-noreset",
    "-auth",
    authority,
  ];
  const child = spawn("/bin/sh", ["-c", KEEPER, "keeper", folder, ...xvfb], {
    detached: true,
    env: keeperEnvironment(process.env),
    stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"],
  });
  /** @type {Promise<void>} */
  const ended = new Promise((done) => {
    child.once("error", () => done());
    child.once("exit", () => done());
  });
  const keep = /** @type {import("node:stream").Writable} */ (child.stdio[4]);
  keep.on("error", () => {}); // the keeper has ended already; `ended` says so
  const stop = async () => {
    keep.end();
    await ended;
    rmSync(folder, { recursive: true, force: true }); // there was no shell to do it
  };
  try {
    const number = await displayNumber(child, ended);
    return { name: `:${number}`, authority, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {Promise<void>} ended
 * @returns {Promise<string>} the number Xvfb has chosen, said once it accepts connections
 */
async function displayNumber(child, ended) {
  let said = "";
  let stderr = "";
  const pipe = /** @type {import("node:stream").Readable} */ (child.stdio[3]);
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    stderr = (stderr + text).slice(-2_000);
  });
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const line = new Promise((done, fail) => {
    pipe.setEncoding("utf8").on("data", (text) => {
      said += text;
      if (said.includes("\n")) done(said.trim());
    });
    const refuse = (/** @type {string} */ why) =>
      fail(
        new Problem(
          `${stderr}The virtual display ${why}; is the package xvfb installed (\`node build/setup.mjs\`)?`,
        ),
      );
    timer = setTimeout(() => refuse(`did not start within ${START_LIMIT_MS / 1000} s`), START_LIMIT_MS);
    void ended.then(() => refuse("ended at once"));
  });
  try {
    return await line;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * An X authority file with one cookie that is good for whatever display number Xvfb chooses. Without it every user of
 * this machine could look at the app and press its buttons.
 * @param {Buffer} cookie
 */
export function authorityFor(cookie) {
  const ANY_ADDRESS = 0xffff;
  const field = (/** @type {Buffer} */ value) => Buffer.concat([uint16(value.length), value]);
  const nothing = Buffer.alloc(0);
  return Buffer.concat([
    uint16(ANY_ADDRESS),
    field(nothing), // address
    field(nothing), // display number
    field(Buffer.from("MIT-MAGIC-COOKIE-1")),
    field(cookie),
  ]);
}

/** @param {number} value */
function uint16(value) {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
