// What Electron, the virtual display and node-pty's compiler need from the system, and how Debian calls it.
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Problem, say, step } from "./console.mjs";
import { needsVirtualDisplay } from "./display.mjs";
import { run } from "./run.mjs";

/**
 * @typedef {{ package: string, library: string } | { package: string, program: string }} Need
 */

/** @type {Need[]} */
const ELECTRON_NEEDS = [
  { package: "libgtk-3-0", library: "libgtk-3.so.0" },
  { package: "libnss3", library: "libnss3.so" },
  { package: "libasound2", library: "libasound.so.2" },
  { package: "libgbm1", library: "libgbm.so.1" },
  { package: "libxss1", library: "libXss.so.1" },
  { package: "libxtst6", library: "libXtst.so.6" },
];
/** @type {Need[]} */
const DISPLAY_NEEDS = [{ package: "xvfb", program: "Xvfb" }];
/** @type {Need[]} node-pty has no ready-made binary for Linux. */
const COMPILER_NEEDS = [
  { package: "g++", program: "g++" },
  { package: "make", program: "make" },
  { package: "python3", program: "python3" },
];

/**
 * @type {Need[]} shells that agents' commands are tested with, and what the tests' functions in Python and shell need; the
 * app needs none of them
 */
const TEST_NEEDS = [
  { package: "curl", program: "curl" },
  { package: "jq", program: "jq" },
  { package: "openssl", program: "openssl" },
  { package: "python3", program: "python3" },
  { package: "socat", program: "socat" },
  { package: "zsh", program: "zsh" },
  { package: "fish", program: "fish" },
];

/**
 * @param {{ display: boolean, compiler: boolean }} wanted
 * @returns {Need[]}
 */
export function needs({ display, compiler }) {
  return [...ELECTRON_NEEDS, ...(display ? DISPLAY_NEEDS : []), ...(compiler ? COMPILER_NEEDS : [])];
}

/**
 * @param {Need[]} wanted
 * @param {{ libraries: Set<string>, hasProgram: (name: string) => boolean }} present
 * @returns {string[]} Debian names of what is missing
 */
export function missingPackages(wanted, { libraries, hasProgram }) {
  return wanted
    .filter((need) => ("library" in need ? !libraries.has(need.library) : !hasProgram(need.program)))
    .map((need) => need.package);
}

/**
 * @param {string} output of `ldconfig -p`: lines like "libnss3.so (libc6,x86-64) => /lib/.../libnss3.so"
 * @returns {Set<string>} names of the libraries the loader finds
 */
export function librariesIn(output) {
  return new Set(output.split("\n").flatMap((line) => /^\s+(\S+) \(.*=>/.exec(line)?.[1] ?? []));
}

/**
 * @param {string} name
 * @param {string} path the PATH to search
 */
export function isOnPath(name, path = process.env["PATH"] ?? "") {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return folder !== "";
    } catch {
      return false;
    }
  });
}

/**
 * Installs what is missing as root on Debian; elsewhere stops with the exact command.
 * @param {{ compiler: boolean }} options `compiler`: node-pty has to be built
 */
export async function ensureSystemPackages({ compiler }) {
  if (process.platform !== "linux") return;
  const libraries = installedLibraries();
  if (libraries === null) {
    say("system libraries: cannot be checked without ldconfig");
    return;
  }
  await installMissing(needs({ display: needsVirtualDisplay(process.env), compiler }));
}

/** The same for what only the tests need. */
export async function ensureTestPackages() {
  if (process.platform === "linux") await installMissing(TEST_NEEDS);
}

/** @param {Need[]} wanted */
async function installMissing(wanted) {
  const find = () =>
    missingPackages(wanted, { libraries: installedLibraries() ?? new Set(), hasProgram: isOnPath });
  const missing = find();
  if (missing.length === 0) {
    say("system libraries: present");
    return;
  }
  const install = ["install", "-y", "--no-install-recommends", ...missing];
  const command = `apt-get update && apt-get ${install.join(" ")}`;
  if (!isOnPath("apt-get")) {
    throw new Problem(
      `The system lacks what Debian calls ${missing.join(" ")}; install it with your package manager and try again.`,
    );
  }
  if (process.getuid?.() !== 0) {
    throw new Problem(`System libraries are missing; run this as root and try again: ${command}`);
  }
  const advice = `run this by hand to see more: ${command}`;
  await step("apt-get update", (detail) => aptGet(["update"], advice, detail));
  await step(`apt-get install ${missing.join(" ")}`, (detail) => aptGet(install, advice, detail));
  const left = find();
  if (left.length > 0)
    throw new Problem(`Still missing after the installation: ${left.join(" ")}; ${advice}`);
}

/**
 * @param {string[]} args
 * @param {string} advice
 * @param {(line: string) => void} onLine
 */
async function aptGet(args, advice, onLine) {
  // Another apt at work is waited for instead of failing on its lock.
  await run("apt-get", ["-q", "-o", "DPkg::Lock::Timeout=300", ...args], {
    cwd: "/",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    advice,
    onLine,
  });
}

/** @returns {Set<string> | null} null where there is no ldconfig to ask */
function installedLibraries() {
  const ldconfig = ["/sbin/ldconfig", "/usr/sbin/ldconfig"].find((path) => existsSync(path));
  if (ldconfig === undefined) return null;
  return librariesIn(spawnSync(ldconfig, ["-p"], { encoding: "utf8" }).stdout ?? "");
}
