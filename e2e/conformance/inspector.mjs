// The MCP Inspector's command line against the running, built app: it lists and calls tools in both eras, and is refused
// without a token and with a made-up one. The Inspector takes its token on its command line only: it is the token `local`
// of a throw-away profile.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApp } from "../app-process.mjs";

const CALL_LIMIT_MS = 60_000;
/** The Inspector's exit code for a server that wants authorization. */
const AUTH_REQUIRED = 3;

/**
 * @param {string} node a Node that the Inspector accepts
 * @param {string} entry of the Inspector
 * @param {string} results folder for what it wrote
 * @returns {Promise<{ passed: number, failures: string[] }>}
 */
export async function inspect(node, entry, results) {
  const app = await startApp(["--demo"]);
  const home = mkdtempSync(join(tmpdir(), "ironbridge-inspector-"));
  const folder = join(results, "inspector");
  mkdirSync(folder, { recursive: true });
  /** @type {string[]} */
  const failures = [];
  let passed = 0;
  /**
   * @param {string} name
   * @param {boolean} met
   * @param {{ code: number, text: string }} seen
   */
  const expect = (name, met, seen) => {
    writeFileSync(join(folder, `${name.replaceAll(/[^a-z0-9]+/gi, "-")}.txt`), `${seen.code}\n${seen.text}`);
    if (met) passed += 1;
    else failures.push(`${name}: exit ${seen.code}: ${seen.text.slice(-300)}`);
  };
  try {
    const token = readFileSync(app.connection.mcp.token_file, "utf8").trim();
    for (const era of ["legacy", "modern"]) {
      /** @param {string | undefined} bearer @param {string[]} args */
      const cli = (bearer, args) =>
        run(
          node,
          [
            entry,
            "--cli",
            app.connection.mcp.url,
            "--transport",
            "http",
            "--stored-auth-only",
            "--protocol-era",
            era,
            ...(bearer === undefined ? [] : ["--header", `Authorization: Bearer ${bearer}`]),
            "--format",
            "json",
            ...args,
          ],
          home,
        );
      const list = ["--method", "tools/list"];
      const call = ["--method", "tools/call", "--tool-name", "ironflow_server_info"];
      const listed = await cli(token, list);
      expect(`${era} lists tools`, listed.code === 0 && listed.text.includes("ironflow_server_info"), listed);
      const called = await cli(token, call);
      expect(`${era} calls a tool`, called.code === 0 && called.text.includes("content"), called);
      for (const [how, bearer] of /** @type {const} */ ([
        ["without a token", undefined],
        ["with a made-up token", "ibk_made-up"],
      ])) {
        const refused = await cli(bearer, list);
        expect(`${era} is refused ${how}`, refused.code === AUTH_REQUIRED, refused);
      }
    }
  } finally {
    await app.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
  return { passed, failures };
}

/**
 * @param {string} node
 * @param {string[]} args
 * @param {string} home where the Inspector may keep its files
 * @returns {Promise<{ code: number, text: string }>}
 */
function run(node, args, home) {
  const child = spawn(node, args, { env: { ...process.env, HOME: home }, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part) => {
      text = (text + part).slice(-1_000_000);
    });
  const timer = setTimeout(() => child.kill("SIGKILL"), CALL_LIMIT_MS);
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => {
      clearTimeout(timer);
      done({ code: code ?? 1, text });
    });
  });
}
