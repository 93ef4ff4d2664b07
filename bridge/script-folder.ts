import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PREFIX = "ironbridge-terminals-";
const NAME = new RegExp(`^${PREFIX}(\\d+)-`);

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
    await removeLeftovers(parent);
    return new ScriptFolder(await mkdtemp(join(parent, `${PREFIX}${process.pid}-`)));
  }

  /** The path of a new file that holds the command and nothing else. @throws when it cannot be written, or exists */
  async write(name: string, command: string): Promise<string> {
    await this.#makeAgain();
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

  /**
   * A command may have removed it, or what tidies temporary folders; anybody may take its name then.
   * @throws when somebody did
   */
  async #makeAgain(): Promise<void> {
    try {
      await mkdir(this.folder, { mode: 0o700 });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      if (!(await isOurFolder(this.folder)))
        throw new Error(`not a folder of ours: ${this.folder}`, { cause: error });
    }
  }
}

async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(NAME.exec(name)?.[1] ?? process.pid);
    if (pid !== process.pid && !isRunning(pid)) await removeIfOurs(join(parent, name));
  }
}

async function removeIfOurs(folder: string): Promise<void> {
  try {
    if (await isOurFolder(folder)) await rm(folder, { recursive: true, force: true });
  } catch {
    // Another bridge of the same user is removing it too, or it cannot be removed: it is private either way.
  }
}

async function isOurFolder(path: string): Promise<boolean> {
  const found = await lstat(path);
  return found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}
