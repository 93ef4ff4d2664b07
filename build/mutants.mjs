// `npm run soak:mutants [part of a path]`: changes the sources that decide about calls and approvals, one small change at a
// time, and runs their unit tests against each. A change that no test notices is a gap, and fails the run.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { readArguments } from "./arguments.mjs";
import { Problem, runScript, say } from "./console.mjs";
import { apply, mutantsOf } from "./mutants/mutate.mjs";
import { ROOT } from "./paths.mjs";

/** Longer than the tests of one source take on a loaded machine: a mutant that runs for ever was noticed. */
const LIMIT_MS = 60_000;

/** What is mutated, and the unit tests that have to notice. @type {{ source: string, tests: string[] }[]} */
const TARGETS = [
  { source: "loopback/guard.ts", tests: ["loopback/guard.test.ts", "loopback/guard-details.test.ts"] },
  { source: "loopback/token.ts", tests: ["loopback/token.test.ts"] },
  {
    source: "electron/mcp-endpoint/gate.ts",
    tests: ["gate", "gate-details", "gate-applications"].map(
      (name) => `electron/mcp-endpoint/${name}.test.ts`,
    ),
  },
  { source: "electron/mcp-endpoint/permissions.ts", tests: ["electron/mcp-endpoint/permissions.test.ts"] },
  { source: "electron/consent/canonical.ts", tests: ["electron/consent/canonical.test.ts"] },
];

/**
 * Mutants that are the same program, with the reason. `was` is looked for in the line.
 * @type {{ source: string, line: string, now: string, why: string }[]}
 */
const SAME_PROGRAM = [
  {
    source: "loopback/guard.ts",
    line: "at + 1 < request.rawHeaders.length",
    now: "-",
    why: "Node gives names and values in pairs, so the last place is never a name's",
  },
  {
    source: "loopback/guard.ts",
    line: "at + 1 < request.rawHeaders.length",
    now: "<=",
    why: "Node gives names and values in pairs, so the length is even and `at` too",
  },
  {
    source: "loopback/guard.ts",
    line: 'headers.push([request.rawHeaders[at] ?? "", request.rawHeaders[at + 1] ?? ""])',
    now: '"mutant"',
    why: "both places are there: the loop has just looked",
  },
  {
    source: "loopback/guard.ts",
    line: 'guard({ method: request.method ?? "", target: request.url ?? "", headers }, policy)',
    now: '"mutant"',
    why: "no route has either as its method, and neither begins with a slash: refused alike",
  },
  {
    source: "loopback/guard.ts",
    line: "let length = 0;",
    now: "1",
    why: "a prefix begins and ends with a slash, so the shortest has two characters",
  },
  {
    source: "loopback/guard.ts",
    line: "route.under.length > length",
    now: ">=",
    why: "two prefixes of one path that are equally long are the same prefix",
  },
  {
    source: "loopback/token.ts",
    line: "header === undefined ? undefined : BEARER.exec(header)",
    now: "false",
    why: "exec reads undefined as a word that is no bearer token",
  },
  {
    source: "electron/consent/canonical.ts",
    line: ".sort(([a], [b]) => (a < b ? -1 : 1))",
    now: "<=",
    why: "no object has a name twice, so no two are equal",
  },
  {
    source: "electron/consent/canonical.ts",
    line: ".sort(([a], [b]) => (a < b ? -1 : 1))",
    now: "2",
    why: "sort looks at the sign only",
  },
];

/**
 * @param {string} source
 * @param {string[]} tests
 */
function startWorker(source, tests) {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, "mutants", "worker.mjs"), source, ...tests],
    {
      cwd: ROOT,
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  const exited = new Promise((done) => child.once("exit", done));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Problem(`the tests of ${source} could not be run`);
    return JSON.parse(value);
  };
  return {
    ready: next(),
    /** @param {string} text @returns {Promise<boolean | undefined>} whether it survived; undefined: it never ended */
    async survives(text) {
      child.stdin.write(`${JSON.stringify({ text })}\n`);
      /** @type {NodeJS.Timeout | undefined} */
      let timer;
      const late = new Promise((done) => {
        timer = setTimeout(() => done(undefined), LIMIT_MS);
      });
      try {
        const answer = await Promise.race([next(), late]);
        return answer === undefined ? undefined : answer.survived;
      } finally {
        clearTimeout(timer);
      }
    },
    async end() {
      child.stdin.end();
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** @param {{ source: string, tests: string[] }} target */
async function mutateTarget({ source, tests }) {
  const text = readFileSync(join(ROOT, source), "utf8");
  const lines = text.split("\n");
  const all = mutantsOf(text, source);
  let worker = startWorker(source, tests);
  await worker.ready;
  if ((await worker.survives(text)) !== true) {
    await worker.end();
    throw new Problem(`the tests of ${source} fail without any change; mend them first.`);
  }
  const counts = { mutants: all.length, killed: 0, endless: 0, same: 0 };
  /** @type {string[]} */
  const survivors = [];
  for (const mutant of all) {
    const line = (lines[mutant.line - 1] ?? "").trim();
    const known = SAME_PROGRAM.find(
      (one) => one.source === source && line.includes(one.line) && one.now === mutant.now,
    );
    if (known !== undefined) {
      counts.same += 1;
      continue;
    }
    const survived = await worker.survives(apply(text, mutant));
    if (survived === undefined) {
      counts.endless += 1;
      await worker.end();
      worker = startWorker(source, tests);
      await worker.ready;
    } else if (survived) {
      survivors.push(`${source}:${mutant.line}: ${mutant.was} -> ${mutant.now}    in: ${line}`);
    } else counts.killed += 1;
  }
  await worker.end();
  return { source, ...counts, survivors };
}

/**
 * A part that is in no path must not look like a run without survivors.
 * @param {string} part
 */
function targetsOf(part) {
  const targets = TARGETS.filter(({ source }) => source.includes(part));
  if (part !== "" && targets.length > 0) return targets;
  throw new Problem(`must be a part of one of ${TARGETS.map(({ source }) => source).join(", ")}`);
}

await runScript(async () => {
  const { source: targets = TARGETS } = readArguments({
    usage: "npm run soak:mutants -- [PART OF A PATH]",
    about: [
      "Small changes that the unit tests have to notice, in",
      ...TARGETS.map(({ source }) => source),
    ].join("\n  "),
    words: { source: targetsOf },
  });
  const results = [];
  for (const target of targets) {
    if (!existsSync(join(ROOT, target.source))) throw new Problem(`${target.source} is gone; mend TARGETS.`);
    const result = await mutateTarget(target);
    results.push(result);
    const { survivors, ...counts } = result;
    say(`${survivors.length === 0 ? "passes" : "FAILS "} ${JSON.stringify(counts)}`);
    for (const survivor of survivors) say(`    survives: ${survivor}`);
  }
  mkdirSync(join(ROOT, "test-results"), { recursive: true });
  writeFileSync(join(ROOT, "test-results", "mutants.json"), `${JSON.stringify(results, null, 2)}\n`);
  return results.some(({ survivors }) => survivors.length > 0) ? 1 : 0;
});
