import { chmod, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { constants } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { signalName } from "./status.ts";
import { TEST_MARKER, terminals, type Terminals } from "./testing/terminals.ts";

let bridge: Terminals;
beforeEach(async () => {
  bridge = await terminals();
});
afterEach(() => bridge.dispose());

const lines = (output: string) => output.replaceAll("\r\n", "\n");

describe.each([
  ["bash", "bash"],
  ["dash", "sh"],
])("commands under %s", (_name, shell) => {
  it.each([
    [
      "a heredoc at the very end",
      "cat <<EOF\none $((1+1))\n  'two' \"three\"\nEOF",
      "one 2\n  'two' \"three\"\n",
    ],
    ["a quoted heredoc", "cat <<'EOF'\n$HOME `x` \\ !\nEOF\necho after", "$HOME `x` \\ !\nafter\n"],
    ["quotes of all kinds", `printf '%s|' 'a"b' "c'd" e\\ f '$x' "!"`, `a"b|c'd|e f|$x|!|`],
    ["a trailing comment", "echo a # and nothing of this: ' \" ) &&", "a\n"],
    ["many lines", "x=1\nif [ $x = 1 ]; then\n\techo yes\nfi\n\n\n", "yes\n"],
    ["a tab, which an interactive shell would complete", "printf 'a\tb'", "a\tb"],
    [
      "what a pasted command would be mangled by",
      "printf '%s' '\u0003\u0004\u001b[200~'",
      "\u0003\u0004\u001b[200~",
    ],
    ["characters beyond ASCII", "printf '%s' 'ä€😀'", "ä€😀"],
    ["a line of 100,000 characters", `printf '%s' '${"x".repeat(100_000)}' | wc -c`, "100000\n"],
    ["a carriage return", "printf '%s' 'a\rb'", "a\rb"],
    ["exit in the middle", "echo a; exit 3\necho b", "a\n"],
  ])("arrive unchanged: %s", async (_what, command, wanted) => {
    const { output } = await bridge.finish(command, { shell });
    expect(lines(output)).toBe(wanted);
  });

  it("are the only thing in a file that only its owner can read, and that is gone afterwards", async () => {
    const command = 'stat -c "%a %n" "$0" "$(dirname "$0")"; cat "$0" # not a line more';
    const { session, output } = await bridge.finish(command, { shell });
    const file = join(bridge.scripts.folder, session.session_id);
    expect(lines(output)).toBe(`600 ${file}\n700 ${bridge.scripts.folder}\n${command}`);
    expect(await readdir(bridge.scripts.folder)).toEqual([]);
  });
});

describe("exit codes and signals", () => {
  it("[B2] are exactly those of the leader: every code", async () => {
    const codes = Array.from({ length: 256 }, (_, code) => code);
    const seen: (number | null)[] = [];
    // In groups: a machine has two cores, and a bridge 64 terminals.
    for (let from = 0; from < 256; from += 16)
      for (const { session } of await Promise.all(
        codes.slice(from, from + 16).map((code) => bridge.finish(`exit ${code}`)),
      )) {
        expect(session).toMatchObject({ status: "exited", signal: null });
        seen.push(session.exit_code);
      }
    expect(seen).toEqual(codes);
  });

  it("are exactly those of the leader: every signal that ends a shell", async () => {
    const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    const finished = await Promise.all(
      numbers.map((number) => bridge.finish(`ulimit -c 0; kill -${number} $$; sleep 5`, { shell: "dash" })),
    );
    for (const [index, { session }] of finished.entries())
      expect(session).toMatchObject({
        status: "signalled",
        signal: signalName(numbers[index] ?? 0),
        exit_code: null,
      });
  });

  it("tell what the shell says when one of its commands is killed", async () => {
    const { session } = await bridge.finish(`sh -c 'kill -${constants.signals.SIGSEGV} $$'`);
    expect(session).toMatchObject({ status: "exited", exit_code: 128 + constants.signals.SIGSEGV });
  });
});

describe("what a command runs in", () => {
  it("has descriptors 0, 1 and 2 and no other, also in a second terminal", async () => {
    const first = await bridge.run("sleep 60");
    const list = `for my $fd (0..255) { my $to = readlink "/proc/self/fd/$fd"; print "$fd $to\\n" if defined $to }`;
    const { output } = await bridge.finish(`exec perl -e '${list}'`);
    const second = lines(output).trimEnd().split("\n");
    expect(second.map((line) => line.split(" ", 1)[0])).toEqual(["0", "1", "2"]);
    expect(new Set(second.map((line) => line.split(" ").at(-1))).size).toBe(1);
    expect(second[0]).toMatch(/ \/dev\/pts\/\d+$/);
    await bridge.sessions.close(first.session_id);
  });

  it("is a terminal of its own: session, group and size", async () => {
    const { output } = await bridge.finish(
      "echo $$ $(ps -o sid=,pgid=,tpgid= -p $$); stty size; test -t 0 && echo tty",
      {
        size: { cols: 133, rows: 41 },
      },
    );
    const [ids = "", size, tty] = lines(output).split("\n");
    expect(new Set(ids.split(/\s+/)).size).toBe(1);
    expect([size, tty]).toEqual(["41 133", "tty"]);
  });

  it("has the environment that was asked for, and of our own variables the markers only", async () => {
    const { session, output } = await bridge.finish("env", {
      env: { ASKED: "a b", NODE_OPTIONS: "--no-warnings" },
    });
    const env = lines(output).split("\n");
    expect(env).toContain("ASKED=a b");
    expect(env).toContain("NODE_OPTIONS=--no-warnings");
    expect(env).toContain("TERM=xterm-256color");
    expect(env).toContain(`HOME=${bridge.home}`);
    expect(env.filter((line) => /^(IRONBRIDGE|ELECTRON|IRONFLOW)/.test(line)).sort()).toEqual([
      `IRONBRIDGE_SESSION=${TEST_MARKER}`,
      `IRONBRIDGE_TERMINAL=${session.session_id}`,
    ]);
  });

  it("is the folder that was asked for, or else the person's home", async () => {
    const folder = join(bridge.home, "a b'c");
    await mkdir(folder);
    const asked = await bridge.finish("pwd", { cwd: folder });
    expect(lines(asked.output)).toBe(`${folder}\n`);
    const { session_id, cwd } = await bridge.sessions.run({ command: "pwd", agent: "test" });
    await bridge.end(session_id);
    expect(cwd).toBe(bridge.home);
    expect(lines(await bridge.readAll(session_id))).toBe(`${bridge.home}\n`);
  });

  it("is the person's shell, or the one that is named; the session names it", async () => {
    const mine = await bridge.finish("echo $BASH");
    expect(mine.session.shell).toBe("/bin/bash");
    expect(lines(mine.output)).toBe("/bin/bash\n");
    const named = await bridge.finish("echo $0 ${BASH:-none}", { shell: "dash" });
    expect(named.session.shell).toMatch(/\/dash$/);
    expect(lines(named.output)).toMatch(/ none\n$/);
    const perl = await bridge.finish("print 6 * 7;", { shell: "perl" });
    expect(perl.output).toBe("42");
  });
});

describe("a command that cannot start", () => {
  it.each([
    ["a folder that does not exist", { cwd: "/no/such/folder" }, "cwd: no such folder: /no/such/folder"],
    ["a folder that is a file", { cwd: "/etc/passwd" }, "cwd: not a folder: /etc/passwd"],
    ["a relative folder", { cwd: "src" }, "cwd: not an absolute path: src"],
    ["an unknown shell", { shell: "no-such-shell" }, "shell: no such command: no-such-shell"],
    ["an unknown shell's path", { shell: "/no/shell" }, "shell: no such command: /no/shell"],
    ["a shell that cannot be run", { shell: "/etc/passwd" }, "shell: not executable: /etc/passwd"],
    [
      "too much environment",
      {
        env: Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`V${index}`, "x".repeat(65_000)])),
      },
      "env: the environment is over 786432 bytes",
    ],
  ])("says why: %s", async (_name, more, reason) => {
    const session = await bridge.run("echo never", more);
    expect(session).toMatchObject({
      status: "failed_to_start",
      reason,
      exit_code: null,
      signal: null,
      output_bytes: 0,
    });
    expect(session.ended_at).not.toBeNull();
    expect(await readdir(bridge.scripts.folder)).toEqual([]);
    expect(await bridge.sessions.stop(session.session_id)).toEqual({
      session_id: session.session_id,
      outcome: "already_ended",
      alive: 0,
    });
  });

  it("says so when its script cannot be written", async () => {
    await bridge.scripts.dispose();
    await writeFile(bridge.scripts.folder, "somebody else's");
    const session = await bridge.run("echo never");
    expect(session).toMatchObject({ status: "failed_to_start", output_bytes: 0 });
    expect(session.reason).toContain("not a folder of ours");
  });

  it("tells a file that is no program by its exit code, as a shell does", async () => {
    const file = join(bridge.home, "not-a-program");
    await writeFile(file, "\u007fELF nonsense");
    await chmod(file, 0o755);
    const { session, output } = await bridge.finish("echo never", { shell: file });
    expect(session).toMatchObject({ status: "exited", exit_code: 126 });
    expect(output).toMatch(/exec format error|cannot execute/i);
  });
});

describe("the script folder", () => {
  it("is made again, as private, when a command removed it", async () => {
    const { output } = await bridge.finish('rm -r "$(dirname "$0")"; echo removed');
    expect(output).toBe("removed\r\n");
    const next = await bridge.finish("echo next");
    expect(next).toMatchObject({ session: { status: "exited" }, output: "next\r\n" });
    expect((await stat(bridge.scripts.folder)).mode & 0o777).toBe(0o700);
    expect(await readdir(bridge.scripts.folder)).toEqual([]);
  });

  it("is private, and the next bridge removes what a dead one left, but nobody else's", async () => {
    const left = join(bridge.home, "ironbridge-terminals-999999999-abcdef");
    const running = join(bridge.home, `ironbridge-terminals-${process.ppid}-abcdef`);
    const foreign = join(bridge.home, "ironbridge-other");
    for (const folder of [left, running, foreign]) {
      await mkdir(folder);
      await writeFile(join(folder, "term_x"), "echo");
    }
    const { ScriptFolder } = await import("./script-folder.ts");
    const next = await ScriptFolder.create(bridge.home);
    expect((await stat(next.folder)).mode & 0o777).toBe(0o700);
    await expect(stat(left)).rejects.toThrow("ENOENT");
    expect(await readFile(join(running, "term_x"), "utf8")).toBe("echo");
    expect(await readFile(join(foreign, "term_x"), "utf8")).toBe("echo");
    await next.dispose();
    await expect(stat(next.folder)).rejects.toThrow("ENOENT");
  });
});
