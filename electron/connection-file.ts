import { rmSync } from "node:fs";
import { readFileIfThere, writeFileAtomic } from "./atomic-file.ts";
import { ConnectionFile } from "./contract/discovery.ts";

export interface Announcement {
  /** Something may have moved: writes the file again when what it says is no longer true. */
  readonly refresh: () => void;
  /** Takes the file away when it is ours; another instance's stays. */
  readonly remove: () => void;
}

/**
 * Writes `connection.json`, so that agents, scripts and tests find this app, and then one line on stdout, so that whoever
 * started it knows that it is ready, and where.
 */
export function announce(path: string, describe: () => ConnectionFile): Announcement {
  let written = write(path, describe());
  let removed = false;
  process.stdout.write(`ready ${path}\n`);
  return {
    refresh() {
      const now = describe();
      if (!removed && JSON.stringify(now) !== JSON.stringify(written)) written = write(path, now);
    },
    remove() {
      removed = true;
      if (readConnectionFile(path)?.pid === written.pid) rmSync(path, { force: true });
    },
  };
}

/** Who has the profile, as far as the file tells; undefined when there is none or it cannot be understood. */
export function readConnectionFile(path: string): ConnectionFile | undefined {
  try {
    return ConnectionFile.parse(JSON.parse(readFileIfThere(path) ?? "null"));
  } catch {
    return undefined; // half a file of a crash, or nothing: either way nobody can be found by it
  }
}

function write(path: string, content: ConnectionFile): ConnectionFile {
  writeFileAtomic(path, `${JSON.stringify(ConnectionFile.parse(content), null, 2)}\n`);
  return content;
}
