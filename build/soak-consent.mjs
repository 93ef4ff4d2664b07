// `npm run soak:consent [cases]`: made-up consent cases against an oracle, 10,000 and more: arguments, caller, target, digest or
// time changed; replayed, joined by another, concurrent, late, forged. Nothing may run that was not approved.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { readArguments, wholeNumber } from "./arguments.mjs";
import { runScript, say } from "./console.mjs";
import { ROOT } from "./paths.mjs";

const DEFAULT_CASES = 12_000;
const VITEST = join(ROOT, "node_modules", "vitest", "vitest.mjs");

await runScript(() => {
  const { cases = DEFAULT_CASES } = readArguments({
    usage: "npm run soak:consent -- [CASES]",
    about: `Made-up consent cases against an oracle, ${DEFAULT_CASES} unless given.`,
    words: { cases: wholeNumber(1, 10_000_000) },
  });
  const start = performance.now();
  const { status } = spawnSync(
    process.execPath,
    [VITEST, "run", "--project", "unit", "electron/consent/generated"],
    { cwd: ROOT, env: { ...process.env, IRONBRIDGE_CONSENT_CASES: String(cases) }, stdio: "inherit" },
  );
  const seconds = Math.round((performance.now() - start) / 1_000);
  say(JSON.stringify({ soak: "consent", cases, seconds, passed: status === 0 }));
  return status ?? 1;
});
