import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { carriesEntry, listProcesses, nowOrder, parsePs, readProcess, sameProcess } from "./processes.ts";
import { poll } from "./testing/poll.ts";

describe.runIf(process.platform === "linux")("the list of processes", () => {
  it("holds this process and its parent", async () => {
    const rows = await listProcesses();
    const self = rows.find(({ pid }) => pid === process.pid);
    expect(self).toMatchObject({ parent: process.ppid, zombie: false });
    expect(rows.some(({ pid }) => pid === process.ppid)).toBe(true);
    expect(self).toStrictEqual(await readProcess(process.pid));
  });

  it("gives start times in the unit of nowOrder", async () => {
    const before = nowOrder();
    const child = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
    const row = await readProcess(child.pid ?? 0);
    child.stdin.end();
    await once(child, "exit");
    expect(row?.startOrder).toBeGreaterThanOrEqual(before - 1);
    expect(row?.startOrder).toBeLessThanOrEqual(nowOrder() + 1);
  });

  it("tells the same process from another and from one that has ended", async () => {
    const child = spawn("cat", { stdio: ["pipe", "ignore", "ignore"] });
    const pid = child.pid ?? 0;
    const { startTime = "" } = (await readProcess(pid)) ?? {};
    expect(await sameProcess({ pid, startTime })).toBe(true);
    expect(await sameProcess({ pid, startTime: `${startTime}0` })).toBe(false);
    child.stdin.end();
    await once(child, "exit");
    expect(await sameProcess({ pid, startTime })).toBe(false);
  });

  it("calls a process that nobody has reaped a zombie, and not the same any more", async () => {
    // The child ends once its parent has become a program that does not know of it.
    const child = `sh -c 'until read -r name < /proc/$PPID/comm && [ "$name" = sleep ]; do :; done'`;
    const parent = spawn("sh", ["-c", `${child} & echo $!; exec sleep 300`], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    try {
      const [line] = (await once(parent.stdout, "data")) as [Buffer];
      const row = await poll("a zombie", async () => {
        const found = await readProcess(Number(String(line)));
        return found?.zombie === true ? found : undefined;
      });
      expect(await sameProcess(row)).toBe(false);
    } finally {
      parent.kill("SIGKILL");
    }
  });

  it.runIf(existsSync("/usr/bin/ps"))("reads ps as macOS's is read", async () => {
    const output = execFileSync("ps", ["-axo", "pid=,ppid=,pgid=,stat=,lstart="], {
      encoding: "utf8",
      env: { LC_ALL: "C" },
    });
    const self = await readProcess(process.pid);
    expect(parsePs(output).find(({ pid }) => pid === process.pid)).toMatchObject({
      parent: process.ppid,
      group: self?.group,
      zombie: false,
    });
  });
});

describe.runIf(process.platform === "linux")("carriesEntry", () => {
  it.each([
    ["A=1", true],
    ["B=2", true],
    ["A=", false],
    ["=1", false],
    ["B=22", false],
    ["AB=2", false],
  ])("of an environment with A=1 and B=2, %s is %s", async (entry, carries) => {
    const child = spawn("cat", { stdio: ["pipe", "pipe", "ignore"], env: { A: "1", B: "2" } });
    child.stdin.write("x");
    // Once cat answers, the environment is cat's.
    await once(child.stdout, "data");
    expect(carriesEntry(child.pid ?? 0, entry)).toBe(carries);
    child.stdin.end();
    await once(child, "exit");
  });

  it("is false for a process that does not exist", () => {
    expect(carriesEntry(2 ** 22 + 1, "A=1")).toBe(false);
  });
});
