import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../loopback/clock.ts";
import { poll } from "../loopback/testing/poll.ts";
import { OutputQuery } from "./contract/api.ts";
import { terminals, type Terminals } from "./testing/terminals.ts";

/** zsh and fish are installed by the set-up on Debian; where they are missing, the test says so by its name. */
const SHELLS = ["bash", "dash", "zsh", "fish"];
const isInstalled = (name: string) =>
  (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

let bridge: Terminals;
beforeAll(async () => {
  bridge = await terminals();
});
afterAll(() => bridge.dispose());

const text = async (id: string) => {
  const query = OutputQuery.parse({ format: "text", limit: 1_048_576 });
  return (await bridge.sessions.answer(id, query, new AbortController().signal))?.output;
};

describe.each(SHELLS)("%s", (shell) => {
  it("is there to be tested", () => {
    expect(isInstalled(shell), `${shell} is missing: apt-get install ${shell}`).toBe(true);
  });

  it.each([
    ["a trailing comment", "echo a # ' \"", "a\n", 0],
    ["quotes", `printf '%s|' 'a"b' "c'd" '$x'`, `a"b|c'd|$x|`, 0],
    ["several lines and an exit code", "echo one\necho two\nexit 7", "one\ntwo\n", 7],
    ["a pipeline", "seq 1 3 | tail -n 1", "3\n", 0],
    ["a command that fails on the way", "false\nexit 9", "", 9],
    ["characters beyond ASCII", "printf '%s' 'ä€😀漢字'", "ä€😀漢字", 0],
    [
      "a tab, colours and a bar",
      "printf 'a\\tb\\n\\033[31mred\\033[0m\\n10%%\\r100%%\\n'",
      "a       b\nred\n100%\n",
      0,
    ],
  ])(
    "[B-SHOW-4] runs %s with the same text and exit code as every other",
    async (_what, command, wanted, exitCode) => {
      const { session } = await bridge.finish(command, { shell });
      expect(session).toMatchObject({ status: "exited", exit_code: exitCode });
      expect(session.shell).toMatch(new RegExp(`/${shell}$`));
      expect(await text(session.session_id)).toBe(wanted);
    },
  );
});

describe("Python's REPL", () => {
  it("[B-SHOW-4] waits for input, answers, and ends with its own code", async () => {
    const { session_id } = await bridge.run("exec python3 -q");
    await poll(
      "it waits",
      () => bridge.sessions.list().find((row) => row.session_id === session_id)?.status === "waiting_input",
    );
    bridge.sessions.type(session_id, "print(6*7)\r");
    await bridge.until(session_id, "42");
    bridge.sessions.type(session_id, "import sys; sys.exit(5)\r");
    expect(await bridge.end(session_id)).toMatchObject({ status: "exited", exit_code: 5 });
  });
});

describe("resizes", () => {
  it("[B-SHOW-4] 200 of them during output leave the agent's text as it is without", async () => {
    const line = `printf 'line %05d %s\\n' $i 'some words that a narrow tab would wrap at its edge'`;
    const command = `for i in $(seq 1 4000); do ${line}; [ $((i % 20)) = 0 ] && sleep 0.005; done; true`;
    const still = await bridge.finish(command);
    const moving = await bridge.run(command);
    await bridge.until(moving.session_id, "line 00001");
    let seed = 1;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    for (let count = 0; count < 200; count += 1) {
      bridge.sessions.resize(moving.session_id, { cols: 2 + random(200), rows: 1 + random(60) });
      await systemClock.sleep(2);
    }
    await bridge.end(moving.session_id);
    expect(await bridge.readAll(moving.session_id)).toBe(still.output);
    expect(await text(moving.session_id)).toBe(await text(still.session.session_id));
    expect((await text(moving.session_id))?.split("\n")).toHaveLength(4_001);
  });
});
