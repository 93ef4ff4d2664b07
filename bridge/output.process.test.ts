import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openPtys, terminals, type Terminals } from "./testing/terminals.ts";

const NEWLINE = /\r\n/g;

describe("output of programs that end at once", () => {
  let bridge: Terminals;
  beforeEach(async () => {
    bridge = await terminals();
  });
  afterEach(() => bridge.dispose());

  it("[F-SHOW-3] is complete in 300 runs of a program that prints 4 KiB and exits, six at a time", async () => {
    const wanted = "0123456789abcde\n".repeat(256);
    const command = `printf '%s' '${wanted}'; exit 7`;
    let left = 300;
    const wrong: unknown[] = [];
    const worker = async () => {
      while (left-- > 0) {
        const { session, output } = await bridge.finish(command);
        const right = output.replaceAll(NEWLINE, "\n") === wanted && session.exit_code === 7;
        if (!right) wrong.push({ ...session, command: "", length: output.length });
      }
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    expect(wrong).toEqual([]);
  });

  it.each([
    ["nothing", 0, 8],
    ["1 byte", 1, 8],
    ["64 KiB", 65_536, 8],
    ["1 MiB", 1024 * 1024, 4],
  ])("is complete and in order: %s", async (_name, bytes, runs) => {
    // Numbered lines of 16 bytes each with their CR, so that a lost or moved part shows where.
    const wanted = Array.from(
      { length: Math.ceil(bytes / 16) },
      (_, line) => `${String(line).padStart(14, "0")}\r\n`,
    )
      .join("")
      .slice(0, bytes);
    const command = `perl -e 'my $n = ${bytes}; my $i = 0; my $s = ""; while (length($s) < $n) { $s .= sprintf("%014d\\r\\n", $i++); } $| = 1; print substr($s, 0, $n);'`;
    const finished = await Promise.all(
      Array.from({ length: runs }, () => bridge.finish(`stty -onlcr; ${command}`)),
    );
    for (const { session, output } of finished) {
      expect(session).toMatchObject({ status: "exited", exit_code: 0, output_bytes: bytes });
      expect(output === wanted).toBe(true);
    }
  });

  it("is complete when the event loop is blocked around the end", async () => {
    const { session_id } = await bridge.run("stty -onlcr; perl -e 'print \"x\" x 20000'");
    const until = performance.now() + 400;
    while (performance.now() < until) {
      // Blocked on purpose: the program ends meanwhile.
    }
    await bridge.end(session_id);
    expect(await bridge.readAll(session_id)).toBe("x".repeat(20_000));
  });

  it("includes what is printed right before a signal kills the leader", async () => {
    const { session, output } = await bridge.finish("printf 'last words'; kill -9 $$");
    expect(session).toMatchObject({ status: "signalled", signal: "SIGKILL", exit_code: null });
    expect(output).toBe("last words");
  });

  it("reads the same in pieces of any size", async () => {
    const text = "ä€😀 日本 e\u0301 ".repeat(40);
    const { session } = await bridge.finish(`printf '%s' '${text}'`);
    for (const limit of [4, 5, 6, 7, 64, 65_536])
      expect(await bridge.readAll(session.session_id, limit)).toBe(text);
  });

  it("leaves as many ptys open after 20 sessions as before", async () => {
    const before = await openPtys();
    const running = await Promise.all(
      Array.from({ length: 20 }, (_, index) => bridge.run(index % 2 === 0 ? "true" : "sleep 60 & sleep 60")),
    );
    expect(await openPtys()).toBeGreaterThan(before);
    await Promise.all(running.map(({ session_id }) => bridge.sessions.close(session_id)));
    expect(await openPtys()).toBe(before);
    expect(bridge.sessions.list()).toEqual([]);
  });
});
