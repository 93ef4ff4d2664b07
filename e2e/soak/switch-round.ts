import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@playwright/test";
import * as z from "zod/v4";
import { ConnectionFile } from "../../electron/contract/discovery.ts";
import { launchApp, type RunningApp } from "../launch.ts";
import { askMain } from "../pages/door.ts";
import { allGone, processTree } from "../processes.ts";

/** The engine that a round goes to, or comes from; the other one is the embedded one. */
export const STAGING = { id: "staging-0a1b2c", name: "Staging" } as const;
const EMBEDDED_ID = "local";

/**
 * When main dies: before it writes the choice, with half of it written, with all of it in a file beside, with it in place; as
 * soon as the window has its answer; when the tool server of the other engine runs; or so long after the answer, in ms.
 */
export type Moment =
  | "unwritten"
  | "half-written"
  | "beside"
  | "in-place"
  | "answered"
  | "tools-run"
  | { readonly afterMs: number };
export const MOMENTS = ["unwritten", "half-written", "beside", "in-place", "answered", "tools-run"] as const;

const Engines = z.looseObject({ engines: z.array(z.unknown()), shown: z.string().optional() });

/** A profile that has an engine whose key a key store sealed. */
export async function writeEngines(profile: string, url: string): Promise<void> {
  const engine = { ...STAGING, url, added_at: "2026-12-01T00:00:00.000Z", sealed_key: "c2VhbGVkIGtleQ==" };
  await writeFile(join(profile, "engines.json"), JSON.stringify({ version: 1, engines: [engine] }), {
    mode: 0o600,
  });
}

/** Starts the app, kills it with -9 while it goes to the other engine, and looks at what the next start finds. */
export async function switchRound(profile: string, url: string, moment: Moment): Promise<void> {
  const path = join(profile, "engines.json");
  const readEngines = async () => Engines.parse(JSON.parse(await readFile(path, "utf8")));
  const before = await readEngines();
  const from = before.shown ?? EMBEDDED_ID;
  const to = from === STAGING.id ? EMBEDDED_ID : STAGING.id;
  const app = await launchApp({ userDataDir: profile });
  const gone = new Promise<void>((done) => app.electron.process().once("exit", () => done()));
  const { pid } = app.connection;
  const seen = await processTree(pid);
  if (typeof moment === "string") await dieAt(app, moment);
  const answer = askMain(app.page, "engines:switch", { id: to }).then(
    () => "answered",
    () => "dead before it answered",
  );
  if (moment === "answered" || moment === "tools-run" || typeof moment === "object") {
    expect(await answer).toBe("answered");
    if (moment === "tools-run") await toolServerRuns(pid, seen);
    if (typeof moment === "object") await new Promise((done) => setTimeout(done, moment.afterMs));
    seen.push(...(await processTree(pid)));
    process.kill(pid, "SIGKILL");
  }
  await gone;
  await answer;
  await allGone(seen, 2_000);

  const after = await readEngines();
  expect(after.engines, "engines and their keys are as they were").toEqual(before.engines);
  const wanted = moment === "unwritten" || moment === "half-written" || moment === "beside" ? from : to;
  expect(after.shown ?? EMBEDDED_ID).toBe(wanted);
  await startsOn(profile, url, wanted);
  expect((await readEngines()).engines).toEqual(before.engines);
}

/** One engine is shown, everywhere the same, and nothing of the kill is left in the profile. */
async function startsOn(profile: string, url: string, id: string): Promise<void> {
  const app = await launchApp({ userDataDir: profile });
  try {
    const list = await askMain(app.page, "engines:list", {});
    expect(list.filter((engine) => engine.shown).map((engine) => engine.id)).toEqual([id]);
    expect((await askMain(app.page, "connections:list", {})).map((connection) => connection.id)).toEqual([
      id,
    ]);
    const name = list.find((engine) => engine.shown)?.name ?? "";
    await expect(app.page.getByRole("region", { name: "Engine that is shown" })).toContainText(name);
    const announced = async () =>
      ConnectionFile.parse(JSON.parse(await readFile(join(profile, "connection.json"), "utf8"))).engine;
    await expect
      .poll(announced)
      .toMatchObject(id === EMBEDDED_ID ? { kind: "embedded" } : { kind: "remote", url });
    expect((await readdir(profile)).filter((file) => /\.tmp$|\.broken-/.test(file))).toEqual([]);
    expect(await askMain(app.page, "app:problems", {})).toEqual([]);
  } finally {
    await app.close();
  }
}

/** The tool server that was not there before. */
async function toolServerRuns(pid: number, before: readonly { pid: number }[]): Promise<void> {
  const known = new Set(before.map((one) => one.pid));
  await expect
    .poll(async () =>
      (await processTree(pid)).some((one) => !known.has(one.pid) && one.command.includes("mcp-server")),
    )
    .toBe(true);
}

/** Main kills itself in the middle of a call to the system, which no signal from outside hits. */
async function dieAt(app: RunningApp, moment: Extract<Moment, string>): Promise<void> {
  await app.electron.evaluate((_, at) => {
    const fs = process.getBuiltinModule("node:fs");
    const die = () => process.kill(process.pid, "SIGKILL");
    const { openSync, writeSync, renameSync } = fs;
    let fresh: number | undefined;
    fs.openSync = (...args) => {
      const isFresh = args[1] === "wx" && String(args[0]).endsWith(".tmp");
      if (isFresh && at === "unwritten") die();
      const file = openSync(...args);
      if (isFresh) fresh = file;
      return file;
    };
    fs.writeSync = (...args: unknown[]) => {
      const [file, bytes] = args as [number, Buffer];
      if (file === fresh && at === "half-written") {
        writeSync(file, bytes, 0, Math.floor(bytes.length / 2));
        die();
      }
      return (writeSync as (...all: unknown[]) => number)(...args);
    };
    fs.renameSync = (from, to) => {
      const isChoice = String(to).endsWith("engines.json");
      if (isChoice && at === "beside") die();
      renameSync(from, to);
      if (isChoice && at === "in-place") die();
    };
  }, moment);
}
