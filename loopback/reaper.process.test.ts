import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { nodeProgram } from "./environment.ts";
import { launch } from "./launch.ts";
import { readProcess, type ProcessId } from "./processes.ts";
import { startReaper, type ReaperEnd, ReaperError } from "./reaper.ts";
import { stopChild } from "./stop-ladder.ts";
import { isAlive } from "./testing/alive.ts";
import { bundleEntry, type Bundle } from "./testing/bundle.ts";
import { FAMILIES, pidsOf } from "./testing/families.ts";
import { hopper, hops, stillHops } from "./testing/hopper.ts";
import { poll } from "./testing/poll.ts";
import { within } from "./testing/within.ts";
import type { OwnerOrder, OwnerReport } from "./testing/reaper-owner.ts";

const PATH = "/usr/local/bin:/usr/bin:/bin";
/** The promise: nothing is left this long after the pipe has closed, on a machine that has time. */
const GONE_WITHIN_MS = 2_000;

let reaperBundle: Bundle;
let ownerBundle: Bundle;
beforeAll(async () => {
  reaperBundle = await bundleEntry(new URL("reaper-main.ts", import.meta.url));
  ownerBundle = await bundleEntry(new URL("testing/reaper-owner.ts", import.meta.url));
});
afterAll(async () => {
  await reaperBundle.remove();
  await ownerBundle.remove();
});

let folder: string;
let file: string;
let session: string;
let started: ChildProcess[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-reaper-"));
  file = join(folder, "reaper.json");
  session = randomUUID();
  started = [];
});
afterEach(async () => {
  await Promise.all(
    started.map((child) => stopChild(child, { times: { afterStdinCloseMs: 0, afterTermMs: 0 } })),
  );
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** A process of somebody else, which must survive. */
async function innocent(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<ProcessId> {
  const child = launch({ command, args, cwd: "/", env: { PATH, ...env } });
  started.push(child);
  // cat answers once the launcher has become it.
  const row = await poll("row", () => readProcess(child.pid ?? 0));
  return { pid: row.pid, startTime: row.startTime };
}

async function startOwner(order: Partial<OwnerOrder>) {
  const whole: OwnerOrder = {
    reaperFile: reaperBundle.file,
    session,
    file,
    folder,
    scripts: [],
    record: true,
    mark: true,
    alsoRecord: [],
    ...order,
  };
  const owner = spawn(process.execPath, [ownerBundle.file, JSON.stringify(whole)], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH },
  });
  started.push(owner);
  let output = "";
  owner.stdout.on("data", (chunk) => {
    output += String(chunk);
  });
  const line = (n: number) =>
    poll(`line ${n} of the owner`, () =>
      output.split("\n").length > n + 1 ? output.split("\n")[n] : undefined,
    );
  const report = JSON.parse(await line(0)) as OwnerReport;
  return {
    ...report,
    kill: async () => {
      const exited = once(owner, "exit");
      owner.kill("SIGKILL");
      await exited;
    },
    close: async () => {
      owner.stdin.write("close");
      return JSON.parse(await line(1)) as ReaperEnd;
    },
  };
}

const scripts = Object.values(FAMILIES).map((family) => family.script);
const names = Object.values(FAMILIES).flatMap((family) => family.names);

describe("after kill -9 of its owner, the reaper", () => {
  it.each([
    ["recorded and marked", { record: true, mark: true }],
    ["only marked", { record: false, mark: true }],
  ])(
    "[B3-1] has ended every process that was %s within 2 s, and gone, and removed its file",
    async (_title, how) => {
      const usable = Object.values(FAMILIES);
      const owner = await startOwner({ scripts: usable.map(({ script }) => script), ...how });
      const pids = await pidsOf(
        folder,
        usable.flatMap((family) => family.names),
      );
      expect(pids.filter(isAlive)).toStrictEqual(pids);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      await owner.kill();
      await within(
        "the end of all",
        GONE_WITHIN_MS,
        () => ![...pids, ...owner.children, owner.reaper].some(isAlive),
      );
      expect(existsSync(file)).toBe(false);
    },
  );

  it("has ended what was recorded but not marked, as far as sessions and parents lead", async () => {
    const reachable = Object.values(FAMILIES).filter(
      ({ names: [name] }) => !["daemon", "orphan", "shed"].includes(name ?? ""),
    );
    const owner = await startOwner({
      scripts: reachable.map(({ script }) => script),
      record: true,
      mark: false,
    });
    const pids = await pidsOf(
      folder,
      reachable.flatMap((family) => family.names),
    );
    await owner.kill();
    await within(
      "the end of all",
      GONE_WITHIN_MS,
      () => ![...pids, ...owner.children, owner.reaper].some(isAlive),
    );
    expect(existsSync(file)).toBe(false);
  });

  it("has ended the session of a recorded leader that was gone before, environment shed and all", async () => {
    const script = `env -i DIR=$DIR PATH=$PATH sh -c 'trap "" HUP TERM; echo $$ > $DIR/left; sleep 300' & until [ -e $DIR/go ]; do sleep 0.02; done; kill -9 $$`;
    // Not through `launch`, which would sweep the group at the leader's exit; a pty's leader is not swept.
    const leader = spawn("setsid", ["sh", "-c", script], { env: { PATH, DIR: folder }, stdio: "ignore" });
    started.push(leader);
    const row = await poll("the session's leader", async () => {
      const found = await readProcess(leader.pid ?? 0);
      return found?.session === leader.pid ? found : undefined;
    });
    const [left = 0] = await pidsOf(folder, ["left"]);
    const owner = await startOwner({ alsoRecord: [{ pid: row.pid, startTime: row.startTime }] });
    expect(owner.held).toStrictEqual([true]);
    const exited = once(leader, "exit");
    writeFileSync(join(folder, "go"), "");
    await exited;
    expect(isAlive(left)).toBe(true);
    await owner.kill();
    await within("the end of the member", GONE_WITHIN_MS, () => !isAlive(left) && !isAlive(owner.reaper));
    expect(isAlive(left)).toBe(false);
  });

  it("has touched nobody else", async () => {
    const other = await innocent("cat", [], { IRONBRIDGE_SESSION: randomUUID() });
    const strangers = [
      other,
      await innocent("sh", ["-c", "cat", "sleep", "300"]),
      await innocent("cat", [], { IRONBRIDGE_SESSION: `${session}0` }),
      await innocent("cat", [], { IRONBRIDGE_SESSION: session.slice(0, -1) }),
      await innocent("cat", [], { NOT_IRONBRIDGE_SESSION: session }),
      await innocent("cat", [], { X: `\nIRONBRIDGE_SESSION=${session}` }),
      await innocent("cat", ["-", `IRONBRIDGE_SESSION=${session}`]),
    ];
    // What a record looks like whose number was given out again.
    const reused = { pid: other.pid, startTime: `${other.startTime}0` };
    const owner = await startOwner({ scripts: ["exec sleep 300"], alsoRecord: [reused] });
    expect(owner.held).toStrictEqual([false]);
    await owner.kill();
    await within(
      "the end of its own",
      GONE_WITHIN_MS,
      () => ![...owner.children, owner.reaper].some(isAlive),
    );
    for (const { pid, startTime } of strangers) expect((await readProcess(pid))?.startTime).toBe(startTime);
  });

  it("is not put off by SIGTERM, SIGINT, SIGHUP and a debugger's SIGUSR1 before", async () => {
    const owner = await startOwner({ scripts: [FAMILIES["double fork"]?.script ?? ""] });
    const [daemon = 0] = await pidsOf(folder, ["daemon"]);
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1"] as const)
      process.kill(owner.reaper, signal);
    await owner.kill();
    await within(
      "the end of all",
      GONE_WITHIN_MS,
      () => ![daemon, ...owner.children, owner.reaper].some(isAlive),
    );
    expect(isAlive(daemon)).toBe(false);
  });
});

// Its leader waits: at a leader's end the launcher sweeps the group, which a first hop may not have left yet.
describe("a process that forks on and on", () => {
  it.each([0, 2, 5, 20])(
    "[B3-1] has ended 2 s after kill -9 of its owner, hopping every %i ms",
    async (hopMs) => {
      const beat = join(folder, "beat");
      const owner = await startOwner({ scripts: [`${hopper(beat, hopMs)} & exec sleep 300`] });
      await hops(beat);
      await owner.kill();
      await within("the end of the reaper", GONE_WITHIN_MS, () => !isAlive(owner.reaper));
      expect(await stillHops(beat)).toBe(false);
      expect(existsSync(file)).toBe(false);
    },
  );

  it("has ended at an orderly end, and is reported", async () => {
    const beat = join(folder, "beat");
    const owner = await startOwner({ scripts: [`${hopper(beat, 0)} & exec sleep 300`] });
    await hops(beat);
    expect((await owner.close()).survivors).toStrictEqual([]);
    expect(await stillHops(beat)).toBe(false);
  });
});

describe("an orderly end", () => {
  it("ends what is left and reports it, and leaves the owner alone though it is marked", async () => {
    const owner = await startOwner({ scripts });
    const pids = await pidsOf(folder, names);
    const end = await owner.close();
    expect(end.survivors).toStrictEqual([]);
    expect(end.ended).toEqual(expect.arrayContaining(pids));
    expect([...pids, owner.reaper].filter(isAlive)).toStrictEqual([]);
    expect(existsSync(file)).toBe(false);
  });
});

describe("startReaper", () => {
  const start = (onLost?: (error: Error) => void) =>
    startReaper({
      program: nodeProgram(reaperBundle.file),
      session,
      file,
      ...(onLost === undefined ? {} : { onLost }),
    });
  const marked = () => {
    const child = launch({ command: "cat", args: [], cwd: "/", env: { PATH } });
    started.push(child);
    return poll("row", () => readProcess(child.pid ?? 0));
  };

  it("keeps a file of what it was told, without what was forgotten", async () => {
    const reaper = await start();
    const [one, two] = [await marked(), await marked()];
    expect(await reaper.record(one)).toBe(true);
    expect(await reaper.record(two)).toBe(true);
    expect(await reaper.record({ ...one, startTime: "wrong" })).toBe(false);
    await reaper.forget(two.pid);
    const kept = JSON.parse(readFileSync(file, "utf8")) as { session: string; processes: ProcessId[] };
    expect(kept.session).toBe(session);
    expect(kept.processes).toMatchObject([{ pid: one.pid, startTime: one.startTime }]);
    expect(await reaper.close()).toStrictEqual({ ended: [one.pid], survivors: [] });
    expect(isAlive(two.pid)).toBe(true);
  });

  it("starts a killed reaper again, with its records, three times; then it says that it is lost", async () => {
    const lost: Error[] = [];
    const reaper = await start((error) => lost.push(error));
    const child = await marked();
    await reaper.record(child);
    const pids = [reaper.pid()];
    for (let restart = 1; restart <= 3; restart += 1) {
      process.kill(reaper.pid(), "SIGKILL");
      pids.push(await poll("another reaper", () => (pids.includes(reaper.pid()) ? undefined : reaper.pid())));
    }
    const kept = JSON.parse(readFileSync(file, "utf8")) as { processes: ProcessId[] };
    expect(kept.processes).toMatchObject([{ pid: child.pid }]);
    const during = reaper.record(await marked());
    expect(await during).toBe(true);
    expect(lost).toStrictEqual([]);
    process.kill(reaper.pid(), "SIGKILL");
    await poll("the news of the loss", () => lost.length === 1);
    await expect(reaper.record(child)).rejects.toThrow(ReaperError);
    expect(await reaper.close()).toStrictEqual({ ended: [], survivors: [] });
  });

  it("records also while a reaper is being started again", async () => {
    const reaper = await start();
    const child = await marked();
    process.kill(reaper.pid(), "SIGKILL");
    expect(await reaper.record(child)).toBe(true);
    expect(await reaper.close()).toStrictEqual({ ended: [child.pid], survivors: [] });
  });

  it("says why it cannot start", async () => {
    const noFile = startReaper({ program: nodeProgram(reaperBundle.file), session, file: "/nowhere/x.json" });
    await expect(noFile).rejects.toThrow(/refused: ENOENT/);
    const noSession = startReaper({ program: nodeProgram(reaperBundle.file), session: "x", file });
    await expect(noSession).rejects.toThrow(/session is not/);
    const noProgram = startReaper({ program: nodeProgram("/nowhere/reaper.cjs"), session, file });
    await expect(noProgram).rejects.toThrow(/the reaper ended \(1\)[^]*Cannot find module/);
    const noNode = startReaper({ program: { command: "/nowhere", args: [], extra: {} }, session, file });
    await expect(noNode).rejects.toThrow(/no such command/);
  });
});

describe("the reaper's own door", () => {
  function raw(env: Record<string, string> = {}) {
    const child = launch({ ...nodeProgram(reaperBundle.file), cwd: "/", env: { PATH, ...env } });
    started.push(child);
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += String(chunk);
    });
    const replies = (count: number) =>
      poll(`${count} replies`, () => {
        const lines = output.split("\n").slice(0, -1);
        return lines.length >= count ? lines.map((line) => JSON.parse(line) as unknown) : undefined;
      });
    return { child, replies, write: (text: string) => child.stdin.write(text) };
  }

  it("refuses what it does not understand and goes on", async () => {
    const reaper = raw();
    const config = { session, file, owner: { pid: process.pid, startTime: "x" } };
    reaper.write(`nonsense\n{"n":1,"remove":5}\n${"x".repeat(70_000)}\n{"n":2,"config":{"session":"x"}}\n`);
    reaper.write(
      `${JSON.stringify({ n: 3, config })}\n${JSON.stringify({ n: 4, config })}\n{"n":5,"remove":5}\n`,
    );
    expect(await reaper.replies(7)).toStrictEqual([
      { n: 0, ok: false, why: "not JSON" },
      { n: 1, ok: false, why: "config comes first" },
      { n: 0, ok: false, why: "line is over 65536 characters" },
      { n: 2, ok: false, why: "session is not 8 to 64 letters, digits and hyphens" },
      { n: 3, ok: true },
      { n: 4, ok: false, why: "config was given already" },
      { n: 5, ok: true },
    ]);
    reaper.child.stdin.end();
    await once(reaper.child, "exit");
    expect(reaper.child.signalCode).toBe("SIGKILL"); // its own: it takes no runtime down
  });

  it("leaves at once when its owner goes before it said anything", async () => {
    const reaper = raw();
    reaper.child.stdin.end();
    await once(reaper.child, "exit");
    expect(reaper.child.signalCode).toBe("SIGKILL"); // its own: it takes no runtime down
    expect(existsSync(file)).toBe(false);
  });

  it("[B3] leaves when its work is done, also when its event loop never runs dry", async () => {
    const hangs = join(folder, "hangs.cjs");
    writeFileSync(hangs, "setInterval(() => {}, 1_000_000);");
    const reaper = raw({ NODE_OPTIONS: `--require=${hangs}` });
    const config = { session, file, owner: { pid: process.pid, startTime: "x" } };
    reaper.write(`${JSON.stringify({ n: 1, config })}\n`);
    expect(await reaper.replies(1)).toStrictEqual([{ n: 1, ok: true }]);
    reaper.child.stdin.end();
    await once(reaper.child, "exit");
    expect(reaper.child.signalCode).toBe("SIGKILL");
    expect(await reaper.replies(2)).toStrictEqual([
      { n: 1, ok: true },
      { ended: [], survivors: [] },
    ]);
    expect(existsSync(file)).toBe(false);
  });
});
