// Everything a fresh machine needs before the app can be built, tested and run. Node built-ins only: this runs before
// anything is installed. Each step is skipped when it is done already.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { readArguments } from "./arguments.mjs";
import { endedBySignals, runScript } from "./console.mjs";
import { ensureElectronRuntime } from "./electron-runtime.mjs";
import { withLock } from "./lock.mjs";
import { assertNode, ensurePackages, packagesState } from "./packages.mjs";
import { ROOT, isScript } from "./paths.mjs";
import { ensureSystemPackages } from "./system-packages.mjs";

/** @throws {import("./console.mjs").Problem} */
export async function setUp() {
  assertNode(process.versions.node);
  const cache = join(ROOT, ".cache");
  mkdirSync(cache, { recursive: true });
  await withLock(join(cache, "setup.lock"), async () => {
    await ensureSystemPackages({ compiler: packagesState(ROOT) === "outdated" });
    await ensurePackages(ROOT);
    await ensureElectronRuntime();
  });
}

if (isScript(import.meta.url)) {
  await runScript(() => {
    readArguments({
      usage: "node build/setup.mjs",
      about: "Installs what this machine lacks: system libraries, packages and an Electron runtime.",
    });
    return endedBySignals(setUp);
  });
}
