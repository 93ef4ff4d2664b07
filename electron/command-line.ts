import { app } from "electron";
import { FlagError, parseFlags, type Flags } from "./flags.ts";

const BAD_INPUT = 4;

/** Reads the flags and moves to the profile that they name; a flag that cannot be used ends the app with a sentence. */
export function readCommandLine(): Flags {
  try {
    const flags = parseFlags(process.argv.slice(1), { packaged: app.isPackaged, cwd: process.cwd() });
    if (flags.userDataDir !== undefined) app.setPath("userData", flags.userDataDir);
    return flags;
  } catch (cause) {
    if (!(cause instanceof FlagError)) throw cause;
    process.stderr.write(`${cause.message}\n`);
    return process.exit(BAD_INPUT);
  }
}
