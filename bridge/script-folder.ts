import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeOwnFolder, newOwnFolder } from "./own-folder.ts";

/**
 * A private folder (0700) with one script file (0600) per command: a shell reads the command from there exactly as it was
 * given. Shells read scripts as they run them, so a file stays until its command has ended.
 */
export class ScriptFolder {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes the folder, after removing those that bridges left behind which did not end in order. */
  static async create(parent: string = tmpdir()): Promise<ScriptFolder> {
    return new ScriptFolder(await newOwnFolder(parent));
  }

  /** The path of a new file that holds the command and nothing else. @throws when it cannot be written, or exists */
  async write(name: string, command: string): Promise<string> {
    makeOwnFolder(this.folder);
    const file = join(this.folder, name);
    await writeFile(file, command, { encoding: "utf8", mode: 0o600, flag: "wx" });
    return file;
  }

  /** Does nothing when there is no file of that name. */
  async remove(name: string): Promise<void> {
    await rm(join(this.folder, name), { force: true });
  }

  async dispose(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
