import * as z from "zod/v4";
import { createEngineFactory } from "../testing/engine-process.ts";
import { ROW_DEADLINE_MS, runRow, type Outcome, type Row } from "./row.ts";
import { allRows } from "./rows/rows.ts";
import { createTarget, type Target, type TargetOptions } from "./target.ts";

/** How many rows run at once: they wait more than they work. */
const rowsAtOnce = 4;
/** Signs the calls of the engine that this command starts itself. */
const ownSigningKey = "a signing key of the conformance suite";

const say = (line: string) => process.stdout.write(`${line}\n`);

/** From run.mjs, which has read the arguments. */
const Order = z.object({ engine: z.string(), url: z.string().optional(), only: z.string().default("") });

async function main(): Promise<number> {
  const { engine: engineFile, url, only } = Order.parse(JSON.parse(process.argv[2] ?? ""));
  const rows = allRows.filter(({ id }) => id.startsWith(only));
  if (rows.length === 0) throw new Error(`--only=${only}: no row's id begins like this`);
  if (url !== undefined) {
    const apiKey = process.env["IRONFLOW_API_KEY"];
    const signingKey = process.env["IRONFLOW_SIGNING_KEY"];
    return report(rows, { url: url.replace(/\/$/, ""), apiKey, signingKey }, "somebody's");
  }
  const factory = await createEngineFactory(engineFile);
  try {
    const engine = await factory.start({ flags: [], env: { IRONFLOW_SIGNING_KEY: ownSigningKey } });
    return await report(rows, { url: engine.url, apiKey: engine.key, signingKey: ownSigningKey }, "ours");
  } finally {
    await factory.close();
  }
}

/** Runs the rows, prints a line for each in their order, and gives the exit code. */
async function report(
  rows: readonly Row[],
  options: TargetOptions,
  whose: "ours" | "somebody's",
): Promise<number> {
  const target = await createTarget(options);
  let closed = false;
  try {
    say(`${rows.length} rows against ${options.url}, at most ${ROW_DEADLINE_MS / 1000} s each`);
    const outcomes = await runAll(rows, target);
    const count = (kind: Outcome["kind"]) => outcomes.filter((outcome) => outcome.kind === kind).length;
    const left = await target.close();
    closed = true;
    for (const line of left) say(`left behind: ${line}`);
    if (left.length === 0 && whose === "somebody's")
      say("removed what the rows had made there; their events stay");
    say(`${count("not offered")} skipped: not offered by this server`);
    say(`${count("pass")} passed, ${count("fail")} failed`);
    return count("fail") === 0 ? 0 : 1;
  } finally {
    if (!closed) await target.close();
  }
}

async function runAll(rows: readonly Row[], target: Target): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  let next = 0;
  let printed = 0;
  const runner = async () => {
    for (let at = next++; at < rows.length; at = next++) {
      const row = rows[at];
      if (row === undefined) return;
      outcomes[at] = await runRow(row, target);
      for (; printed < rows.length; printed += 1) {
        const [done, outcome] = [rows[printed], outcomes[printed]];
        if (done === undefined || outcome === undefined) break;
        say(lineOf(done, outcome));
      }
    }
  };
  await Promise.all(Array.from({ length: rowsAtOnce }, runner));
  return outcomes;
}

function lineOf({ id, mark, title }: Row, outcome: Outcome): string {
  const word = { pass: "pass", fail: "FAIL", "not offered": "not offered" }[outcome.kind];
  return `${word.padEnd(12)}${mark}  ${id.padEnd(34)} ${title}${outcome.kind === "pass" ? "" : ` (${outcome.reason})`}`;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`test:engine: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  },
);
