import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import * as pty from "node-pty";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchCommand } from "./launch.ts";
import { isAlive } from "./testing/alive.ts";
import { bundleEntry, type Bundle } from "./testing/bundle.ts";
import { poll } from "./testing/poll.ts";
import { within } from "./testing/within.ts";

/*
 * What a child may hold of its parent: descriptors 0, 1 and 2. Each claim is paired with a test that shows the fault without
 * the launcher, so that neither passes for want of something to inherit.
 */

const PATH = "/usr/local/bin:/usr/bin:/bin";
let folder: string;
let holder: Bundle;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-descriptors-"));
  holder = await bundleEntry(new URL("testing/descriptor-holder.ts", import.meta.url));
});
afterAll(async () => {
  await holder.remove();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/**
 * A process that was given `count` descriptors which are not marked close-on-exec, as Chromium's are not. They begin at 20:
 * what Node inherits it marks at its start, up to the first gap above 15.
 */
function holdDescriptors(count: number, how: "launch" | "spawn"): ChildProcess {
  const gap = Array.from({ length: 17 }, () => "ignore" as const);
  const extra = Array.from({ length: count }, () => openSync("/dev/null", "r"));
  try {
    return spawn(process.execPath, [holder.file, how], {
      stdio: ["pipe", "pipe", "inherit", ...gap, ...extra],
      env: { PATH },
    });
  } finally {
    for (const descriptor of extra) closeSync(descriptor);
  }
}

interface HolderReport {
  own: number[];
  child: { pid: number; descriptors: number[] };
}

async function reportOf(parent: ChildProcess): Promise<HolderReport> {
  let seen = "";
  parent.stdout?.on("data", (chunk) => {
    seen += String(chunk);
  });
  return poll("report", () => (seen.endsWith("\n") ? (JSON.parse(seen) as HolderReport) : undefined));
}

describe("a child of a process that holds many descriptors", () => {
  it.each([30, 300])("sees only 0, 1 and 2 of %i, and is gone after kill -9 of its parent", async (count) => {
    const parent = holdDescriptors(count, "launch");
    try {
      const report = await reportOf(parent);
      expect(report.own.filter((descriptor) => descriptor >= 20).length).toBeGreaterThanOrEqual(count);
      expect(report.child.descriptors).toStrictEqual([0, 1, 2]);
      const exited = once(parent, "exit");
      parent.kill("SIGKILL");
      await exited;
      await within("the child's end", 2_000, () => !isAlive(report.child.pid));
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it("sees all of them without the launcher", async () => {
    const parent = holdDescriptors(30, "spawn");
    try {
      expect((await reportOf(parent)).child.descriptors.length).toBeGreaterThanOrEqual(33);
    } finally {
      parent.kill("SIGKILL");
    }
  });
});

describe("the launcher's script on other systems", () => {
  /** Runs the launcher, changed as told, with 40 inherited descriptors, some of them far apart. */
  async function listing(change: (script: string) => string) {
    const { command, args } = launchCommand({ command: "/bin/ls", args: ["/proc/self/fd"] }, {});
    const changed = args.map(change);
    expect(changed).not.toStrictEqual(args);
    const extra = Array.from({ length: 40 }, () => openSync("/dev/null", "r"));
    const gap = Array.from({ length: 200 }, () => "ignore" as const);
    try {
      const stdio = ["ignore", "pipe", "pipe", ...extra, ...gap, ...extra] as const;
      const child = spawn(command, changed, { env: {}, stdio: [...stdio] });
      const [stdout, stderr] = child.stdio.slice(1, 3) as [Readable, Readable];
      const [out, err] = await Promise.all([text(stdout), text(stderr), once(child, "exit")]);
      return {
        numbers: out
          .split("\n")
          .filter(Boolean)
          .map(Number)
          .sort((x, y) => x - y),
        err,
        code: child.exitCode,
      };
    } finally {
      for (const descriptor of extra) closeSync(descriptor);
    }
  }
  // ls itself opens 3, to list.
  const onlyStandard = { numbers: [0, 1, 2, 3], err: "", code: 0 };

  it("uses /dev/fd where there is no /proc", async () => {
    expect(await listing((part) => part.replaceAll("d=/proc/self/fd", "d=/nowhere"))).toStrictEqual(
      onlyStandard,
    );
  });

  it("closes descriptors with a bash before version 5 as well", async () => {
    expect(await listing((part) => part.replace("-gt 4 ]", "-gt 99 ]"))).toStrictEqual(onlyStandard);
  });

  it("runs nothing where descriptors cannot be listed", async () => {
    const result = await listing((part) => part.replaceAll(/\/proc\/self\/fd;|\/dev\/fd/g, "/nowhere;"));
    expect(result).toMatchObject({ numbers: [], code: 126 });
    expect(result.err).toContain("cannot list open descriptors in /nowhere");
  });
});

/** Opens an interactive shell in a pty, the way the bridge does. */
function openTerminal(through: "launcher" | "nothing") {
  const env = { PATH, PS1: "$ ", TERM: "xterm" };
  const shell = { command: "/bin/bash", args: ["--norc", "--noprofile", "-i"] };
  const { command, args } = through === "launcher" ? launchCommand(shell, env) : shell;
  const term = pty.spawn(command, args, { cwd: folder, env, cols: 400, rows: 50 });
  let output = "";
  let lines = 0;
  term.onData((data) => {
    output += data;
  });
  const exited = new Promise<void>((resolve) => {
    term.onExit(() => {
      resolve();
    });
  });
  return {
    run: async (line: string) => {
      lines += 1;
      const from = output.length;
      // The quotes keep the echo of what was typed from looking like the answer.
      term.write(`${line}; echo done''-${lines}-\r`);
      await poll(`end of ${line}`, () => output.includes(`done-${lines}-`, from));
      return output.slice(from);
    },
    end: async () => {
      term.kill("SIGKILL");
      await exited;
    },
  };
}

/** Types a command into every pty master that the shell holds. */
const typeIntoMasters = (file: string) =>
  `for f in /proc/$$/fd/*; do case $(readlink $f) in */ptmx) n=\${f##*/}; echo touch ${file} >&$n;; esac; done`;

const masters = (listing: string) => listing.match(/ptmx/g)?.length ?? 0;
const numbers = (listing: string) => [...listing.matchAll(/ (\d+) -> /g)].map((match) => Number(match[1]));

describe.runIf(process.platform === "linux")("a second terminal", () => {
  it("[G4] holds no other terminal's master, so a command in it cannot type into the first", async () => {
    const a = openTerminal("launcher");
    const b = openTerminal("launcher");
    try {
      await a.run("true");
      const listing = await b.run("ls -l /proc/$$/fd");
      expect(masters(listing)).toBe(0);
      // 255 is bash's own copy of its controlling terminal.
      expect(new Set(numbers(listing))).toStrictEqual(new Set([0, 1, 2, 255]));
      await b.run(typeIntoMasters("typed-by-b"));
      await a.run("true");
      expect(existsSync(join(folder, "typed-by-b"))).toBe(false);
    } finally {
      await Promise.all([a.end(), b.end()]);
    }
  });

  it("without the launcher holds the first one's master and types into it", async () => {
    const a = openTerminal("nothing");
    const b = openTerminal("nothing");
    try {
      await a.run("true");
      expect(masters(await b.run("ls -l /proc/$$/fd"))).toBeGreaterThan(0);
      await b.run(typeIntoMasters("typed-without-launcher"));
      await poll("A to run what B typed", () => existsSync(join(folder, "typed-without-launcher")));
    } finally {
      await Promise.all([a.end(), b.end()]);
    }
  });
});
