import { app } from "electron";
import { BAD_INPUT, FlagError, askedToInform } from "./flag-words.mjs";
import { parseFlags, type Flags } from "./flags.ts";
import help from "./help.json" with { type: "json" };

/**
 * Reads the flags and moves to the profile that they name; a flag that cannot be used ends the app with a sentence, and so
 * does the wish to read what flags there are, before anything was touched.
 */
export function readCommandLine(): Flags {
  const argv = process.argv.slice(1);
  const wanted = askedToInform(argv);
  if (wanted !== undefined) {
    const text = wanted === "help" ? help.lines.join("\n") : `${app.getName()} ${app.getVersion()}`;
    process.stdout.write(`${text}\n`);
    return process.exit(0);
  }
  try {
    const flags = parseFlags(argv, {
      packaged: app.isPackaged,
      cwd: process.cwd(),
      appPath: app.getAppPath(),
    });
    if (flags.userDataDir !== undefined) app.setPath("userData", flags.userDataDir);
    return flags;
  } catch (cause) {
    if (!(cause instanceof FlagError)) throw cause;
    process.stderr.write(`${cause.message}\n`);
    return process.exit(BAD_INPUT);
  }
}
