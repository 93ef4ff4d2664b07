import { parseArgs, type ParseArgsConfig } from "node:util";
import { nearestName } from "./nearest-name.mjs";

export type FlagTable = NonNullable<ParseArgsConfig["options"]>;

/**
 * What is wrong with a command line that `parseArgs` refuses, in one sentence. Neither a value nor a word is said again: it
 * may be a secret in the wrong place.
 * @param error what it threw
 */
export function commandLineProblem(error: unknown, args: readonly string[], flags: FlagTable): string {
  if (!(error instanceof Error) || !("code" in error)) throw error;
  const name = /'(?:-., )?(-[^' ]*)/.exec(error.message)?.[1] ?? "";
  switch (error.code) {
    case "ERR_PARSE_ARGS_UNKNOWN_OPTION":
      return `${name}: there is no such flag${guess(name, flags)}`;
    case "ERR_PARSE_ARGS_INVALID_OPTION_VALUE":
      return flags[name.slice(2)]?.type === "boolean"
        ? `${name}: takes no value`
        : `${name}: needs a value, as in ${name}=VALUE`;
    case "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL":
      return strayWord(args, flags);
    default:
      throw error;
  }
}

function strayWord(args: readonly string[], flags: FlagTable): string {
  const { tokens } = parseArgs({ args: [...args], options: flags, strict: false, tokens: true });
  const word = tokens.find(({ kind }) => kind === "positional");
  const at = word?.index ?? 0;
  return `word ${at + 1} of the command line belongs to no flag${guess(args[at] ?? "", flags)}`;
}

function guess(given: string, flags: FlagTable): string {
  const bare = given.replace(/^-+/, "").split("=", 1)[0] ?? "";
  const near = nearestName(bare, Object.keys(flags));
  return near === undefined ? "" : ` (did you mean --${near}?)`;
}
