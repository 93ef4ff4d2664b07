import { rmSync } from "node:fs";
import { readFileIfThere, writeFileAtomic } from "./atomic-file.ts";
import { ConnectionFile } from "./contract/discovery.ts";

/** Writes `connection.json`: from now on agents, scripts and tests find this app. */
export function writeConnectionFile(path: string, content: ConnectionFile): void {
  writeFileAtomic(path, `${JSON.stringify(ConnectionFile.parse(content), null, 2)}\n`);
}

/** `writeConnectionFile`, then one line on stdout, so that whoever started the app knows that it is ready, and where. */
export function announce(path: string, content: ConnectionFile): void {
  writeConnectionFile(path, content);
  process.stdout.write(`ready ${path}\n`);
}

/** Takes the file away when it is ours; another instance's stays. */
export function removeConnectionFile(path: string, pid: number): void {
  if (readConnectionFile(path)?.pid === pid) rmSync(path, { force: true });
}

/** Who has the profile, as far as the file tells; undefined when there is none or it cannot be understood. */
export function readConnectionFile(path: string): ConnectionFile | undefined {
  try {
    return ConnectionFile.parse(JSON.parse(readFileIfThere(path) ?? "null"));
  } catch {
    return undefined; // half a file of a crash, or nothing: either way nobody can be found by it
  }
}
