import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { startEngine } from "../engine-process.ts";
import { away } from "./away.ts";
import { floodKeys } from "./flood-keys.ts";
import { GONE_WITHIN_MS, killRound } from "./kill-round.ts";
import { MOMENTS, switchRound, writeEngines, type Moment } from "./switch-round.ts";

/* The long runs of the built app: `npm run soak:bridge -- kills|away|keys|switches [amount]`. */

const AMOUNT = Number(process.env["IRONBRIDGE_SOAK_AMOUNT"]);
const say = (line: string) => process.stdout.write(`${line}\n`);

test("kills", async () => {
  const rounds = AMOUNT || 100;
  test.setTimeout(rounds * 60_000);
  const slowest = { goneAfterMs: 0, processes: 0 };
  const faults: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const seen = await killRound(20);
    say(
      `round ${round}: ${seen.processes} processes gone after ${seen.goneAfterMs} ms, ${seen.survivors.length} survivors, ${seen.strangersLost} strangers lost`,
    );
    if (seen.survivors.length + seen.strangersLost > 0)
      faults.push(`round ${round}: ${seen.strangersLost} strangers lost, left: ${seen.survivors.join("; ")}`);
    if (seen.goneAfterMs > slowest.goneAfterMs) Object.assign(slowest, seen);
  }
  say(
    `kills: ${rounds} rounds, ${faults.length} with a survivor after ${GONE_WITHIN_MS} ms or somebody else touched; slowest ${slowest.goneAfterMs} ms with ${slowest.processes} processes`,
  );
  expect(faults).toEqual([]);
});

test("away", async () => {
  const seconds = AMOUNT || 600;
  test.setTimeout(seconds * 1_000 + 120_000);
  const seen = await away(seconds * 1_000);
  say(
    `away: for ${seconds} s without a window the child printed ${seen.bytes} bytes; its slowest write took ${seen.longestWriteMs} ms`,
  );
  expect(seen.bytes).toBeGreaterThan(seconds * 1_000_000);
  expect(seen.longestWriteMs).toBeLessThan(1_000);
});

test("keys", async () => {
  const seconds = AMOUNT || 60;
  test.setTimeout(seconds * 1_000 + 120_000);
  const { keysMs, stopMs, bytes } = await floodKeys(seconds * 1_000);
  const at = (part: number) => Math.round(keysMs[Math.floor((keysMs.length - 1) * part)] ?? 0);
  say(
    `keys: ${keysMs.length} keys while yes printed ${bytes} bytes into the open tab: ${at(0.5)} ms p50, ${at(0.99)} ms p99, ${at(1)} ms at most; Stop was told after ${stopMs} ms`,
  );
  expect(at(0.99)).toBeLessThan(100);
  expect(stopMs).toBeLessThan(500);
});

test("switches", async () => {
  const rounds = AMOUNT || 50;
  test.setTimeout(rounds * 60_000);
  const folder = await mkdtemp(join(tmpdir(), "engine-"));
  const profile = await mkdtemp(join(tmpdir(), "profile-"));
  const engine = await startEngine(folder, 0);
  try {
    await writeEngines(profile, engine.url);
    for (let round = 0; round < rounds; round += 1) {
      // Now one of the exact moments, now one of the two seconds after it: both engines have come up by then.
      const later: Moment = { afterMs: (round * 397) % 2_000 };
      const moment = round % 2 === 0 ? (MOMENTS[(round / 2) % MOMENTS.length] ?? later) : later;
      await switchRound(profile, engine.url, moment);
      say(`round ${round + 1}: killed ${typeof moment === "string" ? moment : `after ${moment.afterMs} ms`}`);
    }
    say(`switches: ${rounds} kills in the middle of one, each left one engine, its key and no process`);
  } finally {
    await engine.stop();
    for (const one of [folder, profile]) await rm(one, { recursive: true, force: true, maxRetries: 5 });
  }
});
