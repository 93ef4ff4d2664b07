import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { nowOrder, readProcess } from "../loopback/processes.ts";
import { isAlive } from "../loopback/testing/alive.ts";
import { terminals, type Terminals } from "./testing/terminals.ts";

/** What a session makes of a system that cannot be asked now: for want of descriptors, say. */

let bridge: Terminals;
afterEach(() => bridge.dispose());

const NO_DESCRIPTORS = () => Promise.reject(new Error("EMFILE: too many open files"));
/** Leaves its session and its parent as well. */
const FAMILY = `(setsid sh -c 'echo $$ > daemon; sleep 600' &); echo $$ > leader; until [ -s daemon ]; do sleep 0.02; done; echo ready; sleep 600`;

async function startedBlind(): Promise<{ id: string; pids: number[] }> {
  bridge = await terminals({ look: { now: nowOrder, read: NO_DESCRIPTORS } });
  const { session_id: id, status } = await bridge.run(FAMILY);
  expect(status).toBe("running");
  await bridge.until(id, "ready");
  const pids = await Promise.all(
    ["leader", "daemon"].map(async (name) => Number(await readFile(join(bridge.home, name), "utf8"))),
  );
  expect(pids.map(isAlive)).toEqual([true, true]);
  return { id, pids };
}

describe("a command whose process cannot be looked at right after its start", () => {
  it.each([
    ["stopped", (id: string) => bridge.sessions.stop(id)],
    ["stopped at once", (id: string) => bridge.sessions.stop(id, { atOnce: true })],
  ])("[B3] runs, and is %s with all that it started", async (_how, stop) => {
    const { id, pids } = await startedBlind();
    expect(await stop(id)).toMatchObject({ alive: 0 });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await bridge.end(id)).toMatchObject({ status: "stopped_by_user", left_behind: 0 });
    expect(bridge.problems.join()).toContain("EMFILE");
  });

  it("[B3] is ended when its tab is closed, and when the bridge goes", async () => {
    const { id, pids } = await startedBlind();
    await bridge.sessions.close(id);
    expect(pids.filter(isAlive)).toEqual([]);
    await bridge.dispose();
    const { pids: others } = await startedBlind();
    await bridge.sessions.shutdown();
    expect(others.filter(isAlive)).toEqual([]);
  });

  it("is looked at again when it is stopped", async () => {
    let reads = 0;
    bridge = await terminals({
      look: { now: nowOrder, read: (pid) => ((reads += 1) === 1 ? NO_DESCRIPTORS() : readProcess(pid)) },
    });
    const { session_id: id } = await bridge.run("echo $$; exec env -i sleep 600");
    const pid = Number(await bridge.until(id, /\d+/));
    expect(await bridge.sessions.stop(id)).toMatchObject({ alive: 0 });
    expect(isAlive(pid)).toBe(false);
    expect(reads).toBeGreaterThan(1);
  });
});

it("[B3] the end of a command is told also when the moment of it cannot be had, and what it left is counted", async () => {
  let broken = false;
  const now = () => {
    if (broken) throw new Error("EMFILE: too many open files, /proc/uptime");
    return nowOrder();
  };
  bridge = await terminals({ look: { now, read: readProcess } });
  const { session_id: id } = await bridge.run(
    "(setsid sh -c 'echo ready; exec sleep 600' &); until [ -e go ]; do sleep 0.02; done; exit 3",
  );
  await bridge.until(id, "ready");
  broken = true;
  await writeFile(join(bridge.home, "go"), "");
  expect(await bridge.end(id)).toMatchObject({ status: "exited", exit_code: 3, left_behind: 1 });
  expect(await bridge.sessions.stop(id)).toMatchObject({ alive: 0 });
  expect(bridge.sessions.list()).toMatchObject([{ status: "exited", exit_code: 3, left_behind: 0 }]);
});
