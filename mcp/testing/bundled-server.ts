import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { rolldown } from "rolldown";

export type BundledServer = { readonly file: string; readonly remove: () => void };

/** The tool server as one CJS file, made the way the product's bundle is, in a folder of its own. */
export async function bundleServer(): Promise<BundledServer> {
  const folder = mkdtempSync(join(tmpdir(), "ironbridge-mcp-"));
  const file = join(folder, "mcp-server.cjs");
  const bundle = await rolldown({
    input: resolve(import.meta.dirname, "../server/main.ts"),
    platform: "node",
    resolve: { mainFields: ["module", "main"] },
    transform: { target: "node20.18" },
    tsconfig: false,
  });
  await bundle.write({ file, format: "cjs", codeSplitting: false });
  await bundle.close();
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
