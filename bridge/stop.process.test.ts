import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MessageChannel } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { operatingSystem } from "../loopback/end-processes.ts";
import { listProcesses } from "../loopback/processes.ts";
import { isAlive } from "../loopback/testing/alive.ts";
import { hopper, hops, stillHops } from "../loopback/testing/hopper.ts";
import { poll } from "../loopback/testing/poll.ts";
import { TerminalProcesses } from "./terminal-processes.ts";
import { tabPort } from "./testing/tab-port.ts";
import { terminals, type Terminals } from "./testing/terminals.ts";

let bridge: Terminals;
beforeEach(async () => {
  bridge = await terminals();
});
afterEach(() => bridge.dispose());

/** Pids that a command wrote into a file of its folder, once it has written so many. */
function pidsIn(name: string, count: number): Promise<number[]> {
  return poll(`${count} pids in ${name}`, async () => {
    const text = await readFile(join(bridge.home, name), "utf8").catch(() => "");
    const pids = text.split("\n").filter(Boolean).map(Number);
    return pids.length >= count ? pids : undefined;
  });
}

/** Deaf to INT, TERM and HUP; its own session; its parent gone: what no group kill reaches. */
const DEAF_DOUBLE_FORK = `
perl -e '
  use POSIX "setsid";
  exit if fork; setsid; exit if fork;
  $SIG{$_} = "IGNORE" for qw(INT TERM HUP);
  open F, ">>", "pids"; print F "$$\\n"; close F;
  sleep 600 while 1;'
`;
const DEAF_CHILD = `perl -e '$SIG{$_} = "IGNORE" for qw(INT TERM HUP); open F, ">>", "pids"; print F "$$\\n"; close F; sleep 600 while 1' &`;

describe("Stop", () => {
  it("ends what heeds Ctrl-C with that, and tells the exact end", async () => {
    bridge.heeds("SIGINT");
    const { session_id } = await bridge.run("echo ready; exec sleep 600");
    await bridge.until(session_id, "ready");
    expect(await bridge.sessions.stop(session_id)).toEqual({ session_id, outcome: "after_int", alive: 0 });
    expect(await bridge.end(session_id)).toMatchObject({
      status: "stopped_by_user",
      signal: "SIGINT",
      exit_code: null,
      left_behind: 0,
    });
  });

  it("lets a program clean up after SIGINT and tells its exit code", async () => {
    bridge.heeds("SIGINT");
    const { session_id } = await bridge.run(
      "trap 'echo bye; exit 5' INT; echo ready; while :; do sleep 0.05; done",
    );
    await bridge.until(session_id, "ready");
    expect(await bridge.sessions.stop(session_id)).toMatchObject({ outcome: "after_int" });
    expect(await bridge.end(session_id)).toMatchObject({
      status: "stopped_by_user",
      exit_code: 5,
      signal: null,
    });
    expect(await bridge.readAll(session_id)).toContain("bye");
  });

  it("goes on to SIGTERM when SIGINT is ignored", async () => {
    bridge.heeds("SIGTERM");
    const { session_id } = await bridge.run("trap '' INT; echo ready; exec sleep 600");
    await bridge.until(session_id, "ready");
    expect(await bridge.sessions.stop(session_id)).toMatchObject({ outcome: "after_term", alive: 0 });
    expect(await bridge.end(session_id)).toMatchObject({ status: "stopped_by_user", signal: "SIGTERM" });
  });

  it("[B3] ends a group whose children ignore INT, TERM and HUP, double forks in sessions of their own among them", async () => {
    const { session_id } = await bridge.run(
      `${DEAF_CHILD}\n${DEAF_CHILD}\n${DEAF_DOUBLE_FORK}\n${DEAF_DOUBLE_FORK}\nsleep 600`,
    );
    const pids = await pidsIn("pids", 4);
    expect(pids.every(isAlive)).toBe(true);
    expect(await bridge.sessions.stop(session_id)).toEqual({ session_id, outcome: "after_kill", alive: 0 });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await bridge.end(session_id)).toMatchObject({ status: "stopped_by_user", left_behind: 0 });
  });

  it("[B3-1] ends what cleared its environment and left its session, its parent gone, and no look-alike", async () => {
    const shed = (file: string) =>
      `(env -i setsid perl -e '$SIG{$_} = "IGNORE" for qw(INT TERM HUP); open F, ">>", "${file}"; print F "$$\n"; close F; sleep 600 while 1' </dev/null >/dev/null 2>&1 &)`;
    const other = await bridge.run(`${shed("others")}\nsleep 600`);
    const others = await pidsIn("others", 1);
    const { session_id } = await bridge.run(`${shed("pids")}\n${shed("pids")}\nsleep 600`);
    const pids = await pidsIn("pids", 2);
    expect(await bridge.sessions.stop(session_id)).toMatchObject({ outcome: "after_kill", alive: 0 });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(others.every(isAlive)).toBe(true);
    await bridge.sessions.close(other.session_id);
    expect(others.filter(isAlive)).toEqual([]);
  });

  it("[B3-1] is told of what escaped after the command has ended", async () => {
    const { session } = await bridge.finish(
      `(env -i setsid perl -e 'open F, ">", "pids"; print F "$$\n"; close F; sleep 600' </dev/null >/dev/null 2>&1 &)\nuntil [ -s pids ]; do sleep 0.02; done`,
    );
    const pids = await pidsIn("pids", 1);
    expect(session).toMatchObject({ status: "exited", left_behind: 1 });
    expect(await bridge.sessions.stop(session.session_id)).toMatchObject({ alive: 0 });
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("continues what was stopped, so that it ends", async () => {
    bridge.heeds("SIGINT");
    const { session_id } = await bridge.run("echo $$ > pids; kill -STOP $$; sleep 600");
    const [leader = 0] = await pidsIn("pids", 1);
    await poll("stopped", async () => / T /.test(await readFile(`/proc/${leader}/stat`, "utf8")));
    expect(await bridge.sessions.stop(session_id)).toMatchObject({ outcome: "after_int", alive: 0 });
    expect(isAlive(leader)).toBe(false);
  });

  it("touches no other terminal", async () => {
    const other = await bridge.run(
      "echo $$ >> other; nohup setsid sleep 600 >/dev/null 2>&1 & echo $! >> other; wait",
    );
    const pids = await pidsIn("other", 2);
    const { session_id } = await bridge.run("sleep 600");
    await bridge.sessions.stop(session_id);
    expect(pids.every(isAlive)).toBe(true);
    await bridge.sessions.close(other.session_id);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("says that it had ended already", async () => {
    const { session } = await bridge.finish("exit 4");
    expect(await bridge.sessions.stop(session.session_id)).toMatchObject({
      outcome: "already_ended",
      alive: 0,
    });
    expect(bridge.sessions.list()).toMatchObject([{ status: "exited", exit_code: 4 }]);
  });

  it("asked twice at once climbs one ladder", async () => {
    const { session_id } = await bridge.run("echo ready; exec sleep 600");
    await bridge.until(session_id, "ready");
    const [first, second] = await Promise.all([
      bridge.sessions.stop(session_id),
      bridge.sessions.stop(session_id),
    ]);
    expect(first).toBe(second);
  });

  it("knows no session that is not there", async () => {
    expect(await bridge.sessions.stop("term_nosuchone")).toBeUndefined();
  });
});

describe("what lives on after its leader", () => {
  it("is counted, keeps the group known, is ended by Stop, and leaves the exit code alone", async () => {
    const { session } = await bridge.finish(
      `${DEAF_DOUBLE_FORK}\nuntil [ -s pids ]; do sleep 0.02; done; exit 3`,
    );
    const pids = await pidsIn("pids", 1);
    expect(session).toMatchObject({ status: "exited", exit_code: 3, left_behind: 1 });
    const events = () =>
      bridge.messages.flatMap((message) => (message.type === "process" ? [message.event] : []));
    expect(events()).toEqual(["started"]);
    expect(await bridge.sessions.stop(session.session_id)).toMatchObject({ outcome: "after_kill", alive: 0 });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(bridge.sessions.list()).toMatchObject([{ status: "exited", exit_code: 3, left_behind: 0 }]);
    expect(events()).toEqual(["started", "ended"]);
  });

  it("is no longer counted once it has ended by itself", async () => {
    const { session } = await bridge.finish(
      "nohup setsid sh -c 'until [ -e go ]; do sleep 0.05; done' >/dev/null 2>&1 & sleep 0.1",
    );
    // The one that waits has a sleep of its own now and then.
    expect(session.left_behind).toBeGreaterThanOrEqual(1);
    await writeFile(join(bridge.home, "go"), "");
    await poll("nothing left", () => bridge.sessions.list()[0]?.left_behind === 0);
    await poll("told", () =>
      bridge.messages.some((message) => message.type === "process" && message.event === "ended"),
    );
  });

  it("is looked for in one walk through the system's processes, of however many terminals", async () => {
    for (let nth = 0; nth < 3; nth += 1) await bridge.finish("trap '' HUP; (setsid sleep 600 &)");
    await poll("all are counted", () => bridge.sessions.list().every((one) => one.left_behind === 1));
    const markers = new Set<string>();
    const walks: number[] = [];
    const list = vi.spyOn(operatingSystem, "list").mockImplementation(async () => {
      walks.push(markers.size);
      markers.clear();
      return listProcesses();
    });
    const carries = vi.spyOn(operatingSystem, "carries").mockImplementation((_, entry) => {
      markers.add(entry);
      return true;
    });
    try {
      await poll("two walks", () => walks.length > 1);
      expect(walks[1]).toBe(3);
    } finally {
      list.mockRestore();
      carries.mockRestore();
    }
  });

  it("does not hold back the leader's end, however much it prints", async () => {
    const { session } = await bridge.finish("trap '' HUP; (trap '' HUP; exec yes) & sleep 0.2; exit 6");
    expect(session).toMatchObject({ status: "exited", exit_code: 6 });
  });
});

describe("a process that forks on and on, and is another one at every look", () => {
  it.each([0, 2, 5, 20])("[B3-1] is ended by Stop, hopping every %i ms", async (hopMs) => {
    const { session_id } = await bridge.run(hopper("beat", hopMs));
    const file = join(bridge.home, "beat");
    await hops(file);
    expect(await bridge.sessions.stop(session_id)).toEqual({ session_id, outcome: "after_kill", alive: 0 });
    expect(await stillHops(file)).toBe(false);
  });

  it("is counted after the leader's end, so that stopping everything does not pass it over", async () => {
    const { session } = await bridge.finish(`${hopper("beat", 2)} & until [ -s beat ]; do sleep 0.02; done`);
    const processes = new TerminalProcesses(session.session_id, 2 ** 22 + 1, 0);
    for (let look = 0; look < 20; look += 1) expect(await processes.count()).toBeGreaterThan(0);
    await bridge.sessions.stop(session.session_id, { atOnce: true });
    expect(await stillHops(join(bridge.home, "beat"))).toBe(false);
  });
});

describe("closing", () => {
  it("ends the session's processes and forgets it", async () => {
    const { session_id } = await bridge.run(`${DEAF_DOUBLE_FORK}\nsleep 600`);
    const pids = await pidsIn("pids", 1);
    expect(await bridge.sessions.close(session_id)).toEqual({ closed: true });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(bridge.sessions.list()).toEqual([]);
    expect(await bridge.read(session_id)).toBeUndefined();
    expect(await bridge.sessions.close(session_id)).toEqual({ closed: false });
  });

  it("[B3] of what cannot be ended says so, and keeps the tab; it can be closed once that is gone", async () => {
    const polite = await terminals({ stopSteps: [{ signal: "SIGINT", waitMs: 200 }] });
    const { session_id } = await polite.run("trap '' INT; echo ready; until [ -e go ]; do sleep 0.02; done");
    await polite.until(session_id, "ready");
    expect(await polite.sessions.close(session_id)).toMatchObject({
      closed: false,
      response: { outcome: "not_confirmed", alive: expect.any(Number) },
    });
    expect(polite.sessions.list()).toMatchObject([{ session_id, status: "running" }]);
    expect(await polite.readAll(session_id)).toContain("ready");
    await writeFile(join(polite.home, "go"), "");
    await polite.end(session_id);
    expect(await polite.sessions.close(session_id)).toEqual({ closed: true });
    expect(polite.sessions.list()).toEqual([]);
    await polite.dispose();
  });

  it("of the whole bridge ends everything, and nothing starts any more", async () => {
    await Promise.all(
      Array.from({ length: 4 }, () => bridge.run(`${DEAF_DOUBLE_FORK}\n${DEAF_CHILD}\nsleep 600`)),
    );
    const pids = await pidsIn("pids", 8);
    await bridge.sessions.shutdown();
    expect(pids.filter(isAlive)).toEqual([]);
    await expect(bridge.run("echo never")).rejects.toThrow("the app is closing");
    const processes = bridge.messages.flatMap((message) =>
      message.type === "process" ? [message.event] : [],
    );
    expect(processes.filter((event) => event === "ended")).toHaveLength(4);
  });

  it("does not start what still waited for the login shell's environment", async () => {
    let resolve: (env: Record<string, string>) => void = () => {};
    const environment = new Promise<Record<string, string>>((resolved) => {
      resolve = resolved;
    });
    const waiting = await terminals({ environment: () => environment });
    const session = waiting.run("echo never");
    const shutdown = waiting.sessions.shutdown();
    resolve({ HOME: waiting.home, PATH: "/usr/bin:/bin" });
    expect(await session).toMatchObject({ status: "failed_to_start", reason: "the app is closing" });
    await shutdown;
    await waiting.dispose();
  });
});

describe("the limit of 64 terminals", () => {
  it("refuses one more while all run, and closes the one that ended first when it needs the room", async () => {
    const small = await terminals({ maxSessions: 3 });
    const first = await small.finish("echo 1");
    const second = await small.finish("echo 2");
    const third = await small.run("sleep 600");
    const fourth = await small.run("sleep 600");
    expect(small.sessions.list().map((session) => session.session_id)).toEqual([
      second.session.session_id,
      third.session_id,
      fourth.session_id,
    ]);
    expect(await small.read(first.session.session_id)).toBeUndefined();
    await small.run("sleep 600");
    await expect(small.run("sleep 600")).rejects.toThrow("all 3 terminals are in use");
    expect(small.sessions.list()).toHaveLength(3);
    await small.dispose();
  });

  it("closes first what an agent has read to its end, or what printed nothing, then what ended first", async () => {
    const small = await terminals({ maxSessions: 4 });
    const ended = async (command: string) => {
      const { session_id } = await small.run(command);
      await small.end(session_id);
      return session_id;
    };
    const unread = await ended("echo unread");
    const begun = await ended("seq 1 1000");
    await small.read(begun, { limit: 100 });
    const read = await ended("seq 1 1000");
    await small.read(read, { format: "text" });
    const silent = await ended("true");
    await poll("all are gone", () => small.sessions.list().every((session) => session.gone_at !== undefined));
    const kept = () => small.sessions.list().map((session) => session.session_id);
    const gone: string[] = [];
    for (let more = 0; more < 4; more += 1) {
      const before = kept();
      await small.run("sleep 600");
      gone.push(...before.filter((id) => !kept().includes(id)));
    }
    expect(gone).toEqual([read, silent, unread, begun]);
    await small.dispose();
  });

  it("never closes what is on screen: with nothing else to close, one more is refused", async () => {
    const small = await terminals({ maxSessions: 2 });
    const shown = await small.finish("echo shown");
    const { port1, port2 } = new MessageChannel();
    small.sessions.attach(shown.session.session_id, tabPort(port1));
    const replayed = new Promise((sent) => port2.once("message", sent));
    port2.postMessage({ type: "visible", visible: true });
    await replayed;
    const hidden = await small.finish("echo hidden");
    await poll("it is gone", () => small.sessions.list()[1]?.gone_at !== undefined);
    await small.run("sleep 600");
    await expect(small.run("sleep 600")).rejects.toThrow(
      "all 2 terminals are in use or on screen: stop one, close one, or wait until one ends",
    );
    expect(await small.readAll(shown.session.session_id)).toContain("shown");
    expect(small.sessions.command(hidden.session.session_id)).toBeNull();
    port2.postMessage({ type: "visible", visible: false });
    await poll("it is off the screen", () =>
      small.run("sleep 600").then(
        () => true,
        () => false,
      ),
    );
    port2.close();
    await small.dispose();
  });

  it("does not close one of which a process lives on", async () => {
    const small = await terminals({ maxSessions: 1 });
    const { session } = await small.finish("nohup setsid sleep 600 >/dev/null 2>&1 & sleep 0.1");
    expect(session.left_behind).toBe(1);
    await expect(small.run("echo")).rejects.toThrow("in use");
    await small.sessions.stop(session.session_id);
    expect(await small.run("echo")).toMatchObject({ status: "running" });
    await small.dispose();
  });
});
