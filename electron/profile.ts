import { join } from "node:path";
import { systemReason } from "../loopback/system-reason.ts";
import { makeWritableFolder } from "../loopback/writable-folder.ts";
import { StartProblem } from "./start-problem.ts";

/** Where the files of one profile are: everything the app keeps is in this folder, for its owner only. */
export interface Profile {
  readonly folder: string;
  readonly settings: string;
  readonly connectionFile: string;
  readonly localToken: string;
  readonly tokens: string;
  /** The engines that the person added. */
  readonly engines: string;
  readonly audit: string;
  /** Answers that the person wants remembered. */
  readonly remembered: string;
  /** Every process that agents started in terminals, and the proof of its end. */
  readonly terminals: string;
  /** The folder in which terminals keep output that memory has no room for; it goes with them. */
  readonly terminalOutput: string;
  /** What the reaper knows. */
  readonly processes: string;
  readonly engine: string;
}

/** Makes the folder when it is not there yet. @throws StartProblem when it cannot be made or written */
export function openProfile(folder: string): Profile {
  try {
    makeWritableFolder(folder);
  } catch (cause) {
    const why = systemReason(cause);
    throw new StartProblem(
      `The profile folder ${folder} cannot be used (${why}); choose a folder that can be written with --user-data-dir=DIR.`,
      { cause },
    );
  }
  return {
    folder,
    settings: join(folder, "settings.json"),
    connectionFile: join(folder, "connection.json"),
    localToken: join(folder, "local-token"),
    tokens: join(folder, "tokens.json"),
    engines: join(folder, "engines.json"),
    audit: join(folder, "audit.jsonl"),
    remembered: join(folder, "remembered.json"),
    terminals: join(folder, "terminals.json"),
    terminalOutput: join(folder, "terminal-output"),
    processes: join(folder, "processes.json"),
    engine: join(folder, "engine"),
  };
}

/** The built programs and pages, beside the file that main itself was bundled into. */
export interface Programs {
  readonly engine: string;
  readonly demo: string;
  readonly toolServer: string;
  readonly bridge: string;
  readonly reaper: string;
  readonly preload: string;
  readonly consentPreload: string;
  readonly pages: string;
}

export function programsIn(folder: string): Programs {
  return {
    engine: join(folder, "engine.cjs"),
    demo: join(folder, "demo.cjs"),
    toolServer: join(folder, "mcp-server.cjs"),
    bridge: join(folder, "bridge.cjs"),
    reaper: join(folder, "reaper.cjs"),
    preload: join(folder, "preload.cjs"),
    consentPreload: join(folder, "consent-preload.cjs"),
    pages: join(folder, "renderer"),
  };
}
