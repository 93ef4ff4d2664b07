import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

/** Inside the project, so that a bundle still finds the native packages that stay outside of it. Ignored by git. */
const FOLDER = fileURLToPath(new URL("../../.cache/bundles/", import.meta.url));
const EXTERNAL = ["electron", "node-pty", "@photostructure/sqlite"];

export interface Bundle {
  /** Absolute path of one self-contained CommonJS file. */
  file: string;
  remove(): Promise<void>;
}

/**
 * Makes a TypeScript entry runnable by the oldest Node we support, for tests that start it as a real process:
 * `const bundle = await bundleEntry(new URL("./main.ts", import.meta.url))`. Takes about 100 ms; call `remove` afterwards.
 * CommonJS has no top-level await: an entry needs a `main` function.
 * @param beside other entries that the first one starts, by the name each has in the first one's folder, without `.cjs`
 */
export async function bundleEntry(entry: URL, beside: Readonly<Record<string, URL>> = {}): Promise<Bundle> {
  await mkdir(FOLDER, { recursive: true });
  const folder = await mkdtemp(join(FOLDER, "b-"));
  const file = join(folder, `${basename(entry.pathname, ".ts")}.cjs`);
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    await bundleTo(entry, file);
    for (const [name, other] of Object.entries(beside)) await bundleTo(other, join(folder, `${name}.cjs`));
  } catch (error) {
    await remove();
    throw error;
  }
  return { file, remove };
}

async function bundleTo(entry: URL, file: string): Promise<void> {
  const build = await rolldown({
    input: fileURLToPath(entry),
    platform: "node",
    external: EXTERNAL,
    moduleTypes: { ".md": "text" },
    resolve: { mainFields: ["module", "main"] },
    transform: { target: "node20.18" },
  });
  try {
    await build.write({ file, format: "cjs", codeSplitting: false });
  } finally {
    await build.close();
  }
}
