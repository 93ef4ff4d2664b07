// The door of every script: what stands after its name is read here, before anything starts. Node's own parts only, because
// the set-up is a script too and there is no zod before it.
import { parseArgs } from "node:util";
import { Answer, BadArgument, Problem } from "./console.mjs";

/**
 * Makes a value of what was written, or throws a Problem that says what it must be.
 * @template [T=any]
 * @typedef {(text: string) => T} Reader
 */

/**
 * @typedef {object} Usage
 * @property {string} usage how the script is called, in one line
 * @property {string} about what it does, for `--help`
 */

/** The reader of a flag without a value. */
export const SWITCH = () => true;

/**
 * @param {string} what
 * @param {RegExp} pattern
 */
const numberOf = (what, pattern) => (/** @type {number} */ from, /** @type {number} */ to) => {
  return (/** @type {string} */ text) => {
    const value = Number(text);
    if (pattern.test(text) && value >= from && value <= to) return value;
    throw new Problem(`must be ${what} from ${from} to ${to}`);
  };
};
export const wholeNumber = numberOf("a whole number", /^\d{1,15}$/);
export const decimalNumber = numberOf("a number", /^\d{1,15}(\.\d{1,9})?$/);

/** @param {readonly string[]} names */
export const oneOf = (names) => (/** @type {string} */ text) => {
  if (names.includes(text)) return text;
  throw new Problem(`must be ${names.length === 1 ? "" : "one of "}${names.join(", ")}`);
};

/**
 * What was written, as values under their names. Unknown flags, words too many and values that cannot be used are refused.
 * @template {Record<string, Reader>} [F={}]
 * @template {Record<string, Reader>} [W={}]
 * @template [M=never]
 * @param {Usage & { flags?: F, words?: W, more?: Reader<M> }} door
 *   `flags`: `--name`, or `--name=VALUE`; `words`: in their order; `more`: every word after those
 * @param {readonly string[]} args
 * @returns {{ [N in keyof F]?: ReturnType<F[N]> } & { [N in keyof W]?: ReturnType<W[N]> } & { more: M[] }}
 * @throws {Answer | BadArgument}
 */
export function readArguments(door, args = process.argv.slice(2)) {
  answerHelp(door, args);
  const flags = new Map(Object.entries(door.flags ?? {}));
  const words = Object.entries(door.words ?? {});
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      [...flags].map(([name, read]) => [name, { type: read === SWITCH ? "boolean" : "string" }]),
    ),
    allowPositionals: true,
    strict: false, // its own sentences are several, and none of them knows our usage
    tokens: true,
  });
  /** @type {Record<string, unknown>} */
  const given = {};
  /** @type {unknown[]} */
  const more = [];
  for (const token of tokens) {
    if (token.kind === "option") {
      const read = token.rawName.startsWith("--") ? flags.get(token.name) : undefined;
      given[token.name] = flagValue(door, token, read);
    } else if (token.kind === "positional") {
      const [name, read] = words.shift() ?? ["", door.more];
      if (read === undefined) throw refusal(door, token.value, "nothing is done with it");
      const value = readWith(door, read, token.value, name);
      if (name === "") more.push(value);
      else given[name] = value;
    }
  }
  return /** @type {any} */ ({ ...given, more });
}

/**
 * For scripts that hand their arguments on.
 * @param {Usage} door
 * @param {readonly string[]} args
 * @throws {Answer} when the usage was asked for
 */
export function answerHelp({ usage, about }, args = process.argv.slice(2)) {
  if (args.includes("--help") || args.includes("-h")) throw new Answer(`usage: ${usage}\n${about}`);
}

/** So much of what is not understood is said again. */
const SHOWN_CHARS = 80;

/**
 * @param {Usage} door
 * @param {string} argument as it was written
 * @param {string} why
 */
export function refusal({ usage }, argument, why) {
  // An address may hold a password, which is not said again.
  const shown = argument.replace(/\/\/[^/]*@/, "//…@").slice(0, SHOWN_CHARS);
  return new BadArgument(`${shown}: ${why}; usage: ${usage}`);
}

/**
 * @param {Usage} door
 * @param {{ rawName: string, value?: string | undefined, inlineValue?: boolean | undefined }} token
 * @param {Reader | undefined} read
 */
function flagValue(door, { rawName, value, inlineValue }, read) {
  if (read === undefined) throw refusal(door, rawName, "there is no such flag");
  if (read === SWITCH) {
    if (value !== undefined) throw refusal(door, rawName, "takes no value");
    return true;
  }
  // Without a "=" the next argument is taken, and that may be a flag of its own.
  if (value === undefined || (inlineValue !== true && value.startsWith("-")))
    throw refusal(door, rawName, `needs a value, as in ${rawName}=VALUE`);
  return readWith(door, read, value, rawName);
}

/**
 * @param {Usage} door
 * @param {Reader} read
 * @param {string} text
 * @param {string} name of the flag with its dashes, or of the word
 */
function readWith(door, read, text, name) {
  try {
    return read(text);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (name.startsWith("--")) throw refusal(door, `${name}=${text}`, error.message);
    throw refusal(door, text, name === "" ? error.message : `${name} ${error.message}`);
  }
}
