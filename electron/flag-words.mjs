// JavaScript, because `npm start` refuses what is no flag before there is a package that could read TypeScript, or zod, which
// reads the values (flags.ts).
import { resolve } from "node:path";
import { nearestName } from "../loopback/nearest-name.mjs";
import { passesToChromium } from "./chromium-switches.mjs";

/** The names of the flags with a value, without their dashes, and what the value is called where it is used. */
export const VALUE_FLAGS = /** @type {const} */ ({
  "user-data-dir": "userDataDir",
  "server-url": "serverUrl",
  "mcp-port": "mcpPort",
});
const SWITCHES = /** @type {const} */ ({
  demo: "demo",
  "allow-writes": "allowWrites",
  terminals: "terminals",
});
const INFORMING = /** @type {const} */ (["help", "version"]);

/** Every flag of the app, without its dashes. */
export const FLAG_NAMES = [...Object.keys(VALUE_FLAGS), ...Object.keys(SWITCHES), ...INFORMING];

/** How the app ends when a flag cannot be used. */
export const BAD_INPUT = 4;

/** What is wrong with the command line, in sentences for the person who typed it. */
export class FlagError extends Error {
  /** @override */
  name = "FlagError";
}

/**
 * What somebody wants to read instead of starting the app.
 * @param {readonly string[]} argv
 * @returns {(typeof INFORMING)[number] | undefined}
 */
export function askedToInform(argv) {
  if (argv.includes("-h")) return "help";
  return INFORMING.find((name) => argv.includes(`--${name}`));
}

/**
 * @typedef {object} CommandLineOptions
 * @property {boolean} packaged refuse what opens a debugger, and what only a start from source has
 * @property {string} cwd what a relative folder is relative to
 * @property {string} appPath where the app is: from source, Electron itself is told that
 */

/**
 * @typedef {{ [N in (typeof VALUE_FLAGS)[keyof typeof VALUE_FLAGS]]?: string }
 *   & { [N in (typeof SWITCHES)[keyof typeof SWITCHES]]: boolean }} GivenFlags
 */

/**
 * Reads our flags out of the command line, their values as they were written. Chromium's own are left alone; whatever else
 * there is, is refused, because something misspelt would otherwise do nothing and say nothing. A deep link may stand there:
 * it only navigates.
 * @param {readonly string[]} argv without the executable
 * @param {CommandLineOptions} options
 * @returns {GivenFlags}
 * @throws {FlagError} that names the flag
 */
export function readFlagWords(argv, options) {
  /** @type {GivenFlags} */
  const given = { demo: false, allowWrites: false, terminals: false };
  for (const [at, argument] of argv.entries()) {
    if (!argument.startsWith("--")) {
      if (!isExpected(argument, argv[at - 1], options)) throw wordRefusal(argument);
      continue;
    }
    const [name = "", ...rest] = argument.slice(2).split("=");
    const value = rest.length > 0 ? rest.join("=") : undefined;
    if (isNameIn(VALUE_FLAGS, name)) {
      if (value === undefined) throw new FlagError(`--${name}: write --${name}=VALUE, with "="`);
      given[VALUE_FLAGS[name]] = value;
    } else if (isNameIn(SWITCHES, name)) {
      if (value !== undefined) throw new FlagError(`--${name}: takes no value`);
      given[SWITCHES[name]] = true;
    } else {
      refuseUnknown(name, options.packaged);
    }
  }
  return given;
}

/**
 * @template {object} T
 * @param {T} names
 * @param {string} name
 * @returns {name is Extract<keyof T, string>}
 */
function isNameIn(names, name) {
  return Object.hasOwn(names, name);
}

/**
 * What stands on the command line without two dashes and is none of the person's mistakes.
 * @param {string} word
 * @param {string | undefined} before
 * @param {CommandLineOptions} options
 */
function isExpected(word, before, options) {
  if (word.startsWith("ironbridge://")) return true;
  if (options.packaged) return word.startsWith("-psn_"); // macOS, when a file manager starts it
  // Electron is told where the app is, and a test driver has it load a file of its own first.
  return word === "-r" || before === "-r" || resolve(options.cwd, word) === options.appPath;
}

/** So much of a word that is not understood is said again. */
const WORD_CHARS = 80;

/** @param {string} given */
function wordRefusal(given) {
  // An address may hold a password, which is not said again.
  const word = given.replace(/\/\/[^/]*@/, "//…@").slice(0, WORD_CHARS);
  const bare = word.replace(/^-/, "").split("=", 1)[0] ?? "";
  const near = nearestName(bare, FLAG_NAMES);
  if (near !== undefined) return new FlagError(`${word}: did you mean --${near}?`);
  return new FlagError(
    `${word}: nothing is done with it; flags begin with two dashes, a value follows its flag's "=", and --help lists them`,
  );
}

/**
 * @param {string} name
 * @param {boolean} packaged
 */
function refuseUnknown(name, packaged) {
  const verdict = passesToChromium(name, packaged);
  if (verdict === "yes") return;
  if (verdict === "debugger") throw new FlagError(`--${name}: this build cannot be debugged`);
  const near = nearestName(name, FLAG_NAMES);
  const advice = near === undefined ? "--help lists them" : `did you mean --${near}?`;
  throw new FlagError(`--${name}: there is no such flag; ${advice}`);
}
