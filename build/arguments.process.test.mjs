// Every script with what it does not understand, in a copy of the project: what it started or wrote would be seen.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT, entriesOf } from "./paths.mjs";
import { scratchProject } from "./scratch-project.mjs";

const FOLDERS = ["bridge", "build", "e2e", "engine"];
/** Their flags are the app's, which refuses what it does not know itself. */
const OF_THE_APP = ["build/app.mjs", "build/start.mjs"];

const scripts = FOLDERS.flatMap((folder) => entriesOf(join(ROOT, folder), true))
  .filter(({ name }) => name.endsWith(".mjs") && !name.endsWith(".test.mjs"))
  .map(({ parentPath, name }) => join(parentPath, name))
  .filter((path) => /^\s*(if .*)?await runScript\(/m.test(readFileSync(path, "utf8")))
  .map((path) => path.slice(ROOT.length + 1))
  .filter((path) => !OF_THE_APP.includes(path));

describe("every script of a developer", () => {
  const project = scratchProject({});
  const temporary = join(project.root, "temporary");
  /** @type {string[]} */
  let before = [];
  beforeAll(() => {
    for (const folder of FOLDERS)
      cpSync(join(ROOT, folder), join(project.root, folder), {
        recursive: true,
        filter: (path) => !/\.[a-z]+$/.test(path) || path.endsWith(".mjs"),
      });
    mkdirSync(temporary);
    before = readdirSync(project.root);
  });
  afterAll(() => project.remove());

  /**
   * @param {string} script
   * @param {string[]} args
   */
  function run(script, args) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
      cwd: project.root,
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        HOME: temporary,
        TMPDIR: temporary,
        IRONBRIDGE_CACHE: join(temporary, "cache"),
      },
      timeout: 60_000,
      killSignal: "SIGKILL",
    });
    // Neither a display, nor a profile, nor results of before that are gone.
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(project.root)).toEqual(before);
    return { status, stdout, stderr };
  }

  it("is here when package.json names it", () => {
    /** @type {string[]} */
    const commands = Object.values(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")).scripts);
    const named = commands.flatMap((command) => /\bnode (\S+\.mjs)/.exec(command)?.[1] ?? []);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !scripts.includes(path) && !OF_THE_APP.includes(path))).toEqual([]);
  });

  it.each(scripts)("%s answers --help and -h with its usage and does nothing else", (script) => {
    for (const flag of ["--help", "-h"]) {
      const { status, stdout, stderr } = run(script, [flag]);
      expect(stdout).toMatch(/^usage: (npm|node) .+\n\S/);
      expect(stderr).toBe("");
      expect(status).toBe(0);
    }
  });

  // What the end-to-end tests are given is Playwright's, which refuses it itself.
  const strict = scripts.filter((script) => script !== "build/e2e.mjs");

  it.each(strict)("%s refuses a flag and a word that it does not know, and has not begun", (script) => {
    // This one takes any file.
    const words = script === "build/assert-set-up.mjs" ? [] : ["nosuchthing"];
    for (const argument of ["--nosuchflag", ...words]) {
      const { status, stdout, stderr } = run(script, [argument]);
      expect(stderr).toMatch(new RegExp(`^${argument}: [^\n]+; usage: (npm|node) [^\n]+\n$`));
      expect(stdout).toBe("");
      expect(status).toBe(2);
    }
  });

  it("among them, one that needs the built app says so at once, and holds no display", () => {
    const { status, stdout, stderr } = run("e2e/bench/endpoint.mjs", ["5"]);
    expect(stderr).toMatch(/^The app is not built yet; run `npm run build`/);
    expect(stdout).toBe("");
    expect(status).toBe(1);
  });

  it.each([
    ["build/mutants.mjs nosuchthing", "electron/mcp-endpoint/gate.ts"],
    ["build/mutants.mjs gate token", "token: nothing is done with it"],
    ["build/soak-consent.mjs 0", "0: cases must be a whole number from 1 to "],
    ["build/soak-consent.mjs 12,000", "12,000: cases must be"],
    ["e2e/bench/endpoint.mjs 1000000000", "1000000000: calls must be"],
    ["bridge/soak/run.mjs output 1.5", "1.5: amount must be"],
    ["bridge/soak/run.mjs 10 5", "5: nothing is done with it"],
    ["bridge/soak/run.mjs 0", "0: soak must be a whole number"],
    ["e2e/soak/run.mjs kills many", "many: amount must be"],
    ["engine/soak/run.mjs --rounds=0", "--rounds=0: must be"],
    ["engine/soak/run.mjs --seed=-1", "--seed=-1: must be"],
    ["engine/soak/run.mjs --fuzz --rounds=2", "--rounds: does not go with --fuzz"],
    ["engine/soak/run.mjs --minutes=2", "--minutes: goes with --fuzz only"],
    ["engine/fuzz/run.mjs --minutes=0", "--minutes=0: must be a number"],
    ["engine/bench/run.mjs --only=rows", "--only=rows: must be sql"],
    ["engine/bench/run.mjs --quick=yes", "--quick: takes no value"],
    ["engine/conformance/run.mjs --url=localhost:9123", "--url=localhost:9123: must be an address"],
    ["e2e/conformance/run.mjs --inspector", "--inspector: there is no such flag"],
  ])("%s: refused, and the sentence says what it must be", (line, sentence) => {
    const [script = "", ...args] = line.split(" ");
    const { status, stdout, stderr } = run(script, args);
    expect(stderr).toContain(sentence);
    expect(stdout).toBe("");
    expect(status).toBe(2);
  });
});
