// node_modules as package-lock.json says.
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Problem, say, step } from "./console.mjs";
import { entriesOf } from "./paths.mjs";
import { run } from "./run.mjs";

const OLDEST_NODE = [20, 18];

/**
 * @param {string} version like "20.18.1"
 * @throws {Problem}
 */
export function assertNode(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = OLDEST_NODE;
  if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
    throw new Problem(
      `Node ${version} is too old; install Node ${OLDEST_NODE.join(".")} or newer and try again.`,
    );
  }
}

/**
 * What the installed packages depend on, as one value. Written into node_modules once they are complete.
 * @param {string} root
 */
export function packagesHash(root) {
  const hash = createHash("sha256");
  for (const name of ["package.json", "package-lock.json"]) {
    hash.update(relevantPart(name, readFileSync(join(root, name), "utf8"))).update("\0");
  }
  return hash.update(`${process.platform}-${process.arch}`).digest("hex");
}

/**
 * A changed script in package.json is no reason to install again.
 * @param {string} name
 * @param {string} text
 */
function relevantPart(name, text) {
  if (name !== "package.json") return text;
  const { dependencies, devDependencies, overrides, allowScripts } = JSON.parse(text);
  return JSON.stringify({ dependencies, devDependencies, overrides, allowScripts });
}

/**
 * @param {string} root
 * @returns {"current" | "linked" | "outdated"} linked: node_modules is a link, so somebody else looks after it
 */
export function packagesState(root) {
  const folder = join(root, "node_modules");
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return "linked";
  const stamp = stampFile(root);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === packagesHash(root) ? "current" : "outdated";
}

/**
 * For scripts that need the packages and install nothing themselves.
 * @param {string} root
 * @throws {Problem} when there are none
 */
export function assertPackages(root) {
  if (existsSync(join(root, "node_modules", "rolldown"))) return;
  throw new Problem(
    "The packages are not installed yet; run `npm start`, or `node build/setup.mjs`, once and try again.",
  );
}

/** @param {string} root */
export async function ensurePackages(root) {
  const state = packagesState(root);
  if (state !== "outdated") {
    say(state === "current" ? "packages: up to date" : "packages: node_modules is a link and left alone");
    return;
  }
  await step("npm ci", async (detail) => {
    const timer = setInterval(
      () => detail(`${entriesOf(join(root, "node_modules"), false).length} folders`),
      1_000,
    );
    try {
      await run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
        cwd: root,
        env: { ...process.env, ...headersOf(process.execPath) },
        advice: "check that npm reaches its registry and that a C++ compiler works, then run it again.",
      });
    } finally {
      clearInterval(timer);
    }
  });
  writeFileSync(stampFile(root), packagesHash(root));
}

/** @param {string} root */
function stampFile(root) {
  return join(root, "node_modules", ".ironbridge-lock");
}

/**
 * node-pty is compiled with the headers that came with this Node where there are any; node-gyp would else download
 * them from a page that not every machine reaches.
 * @param {string} node path of the binary
 * @returns {Record<string, string>} environment for npm
 */
export function headersOf(node) {
  const prefix = dirname(dirname(node));
  return existsSync(join(prefix, "include", "node", "node_api.h")) ? { npm_config_nodedir: prefix } : {};
}
