import { createRequire } from "node:module";
import { ConPty, type SpawnConPty } from "./conpty.ts";
import { Pty, type PtyEvents, type PtyOptions, type TerminalDevice } from "./pty.ts";

/** Starts a command in a terminal of its own, as this system has them. @throws Error when it gives none */
export function openTerminal(options: PtyOptions, events: PtyEvents): TerminalDevice {
  if (process.platform !== "win32") return new Pty(options, events);
  const { spawn } = createRequire(import.meta.url)("node-pty") as { spawn: SpawnConPty };
  return new ConPty(options, events, spawn);
}
