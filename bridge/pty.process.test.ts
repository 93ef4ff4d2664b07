import { expect, it, vi } from "vitest";
import { isAlive } from "../loopback/testing/alive.ts";
import { poll } from "../loopback/testing/poll.ts";
import { Pty } from "./pty.ts";
import { openPtys } from "./testing/terminals.ts";

vi.mock("node:tty", () => ({
  ReadStream: function ReadStream() {
    throw new Error("EMFILE: too many open files");
  },
}));

it("a terminal that cannot be read leaves nothing open and nobody running", async () => {
  const before = await openPtys();
  const pids: number[] = [];
  const kill = vi.spyOn(process, "kill").mockImplementation((pid, signal) => {
    pids.push(Math.abs(pid));
    kill.mockRestore();
    return process.kill(pid, signal);
  });
  const size = { cols: 80, rows: 24 };
  const options = { command: "/bin/sleep", args: ["600"], env: {}, cwd: "/", size };
  expect(() => new Pty(options, { data: () => {}, end: () => {} })).toThrow("cannot open the terminal /dev/");
  expect(await openPtys()).toBe(before);
  const [pid = 0] = pids;
  expect(pid).toBeGreaterThan(1);
  await poll("it is gone", () => !isAlive(pid));
});
