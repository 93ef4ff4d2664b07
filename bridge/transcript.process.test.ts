import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { poll } from "../loopback/testing/poll.ts";
import { LOG_BLOCK_BYTES } from "./block-pool.ts";
import type { TerminalSession } from "./contract/api.ts";
import { OutputLog } from "./output-log.ts";
import { SizeHistory } from "./size-history.ts";
import { terminals, type Terminals } from "./testing/terminals.ts";
import { Timeline } from "./timeline.ts";
import { writeTranscript } from "./transcript.ts";

/** The whole lines of one event of an asciicast. */
const printedLines = (row: string) =>
  (JSON.parse(row) as [number, "o", string])[2].split("\r\n").slice(1, -1);

/** What an asciicast prints, each part under the size at which a player shows it. */
function shownAt(cast: string): [size: string, text: string][] {
  const [header = "", ...rows] = cast.trimEnd().split("\n");
  const { width, height } = JSON.parse(header) as { width: number; height: number };
  const parts: [string, string][] = [[`${width}x${height}`, ""]];
  for (const row of rows) {
    const [, kind, data] = JSON.parse(row) as [number, "o" | "r", string];
    if (kind === "r") parts.push([data, ""]);
    else parts.splice(-1, 1, [parts.at(-1)?.[0] ?? "", (parts.at(-1)?.[1] ?? "") + data]);
  }
  return parts;
}

const secondsOf = (cast: string) =>
  cast
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((row) => (JSON.parse(row) as [number, ...unknown[]])[0]);

let bridge: Terminals;
beforeEach(async () => {
  bridge = await terminals();
});
afterEach(() => bridge.dispose());

it("a transcript as text is what a person read, for its owner only", async () => {
  const { session } = await bridge.finish("printf '\\033[31mone\\033[0m\\n10%%\\r100%%\\nend'");
  const path = join(bridge.home, "out.txt");
  expect(await bridge.sessions.save(session.session_id, "text", path)).toBeNull();
  expect(await readFile(path, "utf8")).toBe("one\n100%\nend");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

it("a transcript as asciicast v2 holds every character, with times that do not go back", async () => {
  const { session, output } = await bridge.finish(
    "for i in 1 2 3 4 5; do printf 'ä€😀 %s\\n' $i; sleep 0.05; done; seq 1 20000",
    { size: { cols: 91, rows: 17 } },
  );
  const path = join(bridge.home, "out.cast");
  expect(await bridge.sessions.save(session.session_id, "asciicast", path)).toBeNull();
  const [header, ...events] = (await readFile(path, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
  expect(header).toMatchObject({ version: 2, width: 91, height: 17, env: { SHELL: "/bin/bash" } });
  const rows = events as [number, string, string][];
  expect(rows.map(([, , text]) => text).join("")).toBe(output);
  expect(new Set(rows.map(([, kind]) => kind))).toEqual(new Set(["o"]));
  const seconds = rows.map(([second]) => second);
  expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
  expect(seconds.at(-1)).toBeGreaterThan(0.2);
});

it("an asciicast begins with the size at its first byte, and each resize has its place among the output", async () => {
  const { session_id: id } = await bridge.run(
    "stty -echo; stty size; read -r; stty size; read -r; stty size; read -r",
    {
      size: { cols: 91, rows: 17 },
    },
  );
  const path = join(bridge.home, "out.cast");
  const save = async () => {
    expect(await bridge.sessions.save(id, "asciicast", path)).toBeNull();
    return readFile(path, "utf8");
  };
  await bridge.until(id, "17 91\r\n");
  expect(shownAt(await save())).toEqual([["91x17", "17 91\r\n"]]);
  bridge.sessions.resize(id, { cols: 100, rows: 30 });
  bridge.sessions.type(id, "\r");
  await bridge.until(id, "30 100\r\n");
  bridge.sessions.resize(id, { cols: 60, rows: 40 });
  bridge.sessions.resize(id, { cols: 61, rows: 41 });
  bridge.sessions.type(id, "\r");
  await bridge.until(id, "41 61\r\n");
  bridge.sessions.resize(id, { cols: 20, rows: 10 });
  bridge.sessions.type(id, "\r");
  await bridge.end(id);
  const cast = await save();
  expect(shownAt(cast)).toEqual([
    ["91x17", "17 91\r\n"],
    ["100x30", "30 100\r\n"],
    ["60x40", ""],
    ["61x41", "41 61\r\n"],
    ["20x10", ""],
  ]);
  expect(secondsOf(cast)).toEqual(secondsOf(cast).toSorted((a, b) => a - b));
});

it.each([
  ["text", Number.POSITIVE_INFINITY],
  ["asciicast", 1],
] as const)(
  "a transcript of what prints faster than it is written ends, with nothing twice and each part at its size: %s",
  async (format, floods) => {
    let line = 0;
    let reads = 0;
    let prints = 0;
    const timeline = new Timeline();
    const sizes = new SizeHistory({ cols: 1, rows: 24 });
    class Flood extends OutputLog {
      print() {
        sizes.note(this.end, { cols: (prints += 1), rows: 24 }, line / 2_000);
        let text = "";
        while (text.length < LOG_BLOCK_BYTES / 2) text += `${String((line += 1)).padStart(8, "0")}\r\n`;
        timeline.note(this.end, line / 2_000);
        this.append(Buffer.from(text));
      }
      override read(offset: number, limitBytes: number) {
        const read = super.read(offset, limitBytes);
        reads += 1;
        if (reads > floods) return read;
        queueMicrotask(() => {
          for (let print = 0; print < 12; print += 1) this.print();
        });
        return read;
      }
    }
    const log = new Flood({ memoryBytes: 32 * LOG_BLOCK_BYTES });
    for (let half = 0; half < 64; half += 1) log.print();
    const session = { started_at: new Date(0).toISOString() } as TerminalSession;
    const source = {
      log,
      timeline,
      sizes,
      ended: false,
      snapshot: () => session,
      request: session,
      onActivity: () => () => {},
    };
    const path = join(bridge.home, "flood");
    await writeTranscript(source, format, path, new AbortController().signal);
    const saved = await readFile(path, "utf8");
    const lines = saved.trimEnd().split("\n");
    const text = format === "text" ? lines : lines.slice(1).flatMap((row) => printedLines(row));
    const numbers = text.filter((row) => /^\d{8}$/.test(row)).map(Number);
    expect(numbers.length).toBeGreaterThan(1_000);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    if (format === "text") return;
    expect(lines.filter((row) => row.includes("no longer kept"))).toHaveLength(2); // before it was asked for, and meanwhile
    const rowsOfPrint = line / prints;
    const misplaced = shownAt(saved).flatMap(([size, shown]) =>
      shown
        .split("\r\n")
        .filter((row) => /^\d{8}$/.test(row) && size !== `${Math.ceil(Number(row) / rowsOfPrint)}x24`),
    );
    expect(misplaced).toEqual([]);
  },
);

it("a transcript of more than is kept says how much is missing, and begins with whole characters and sequences", async () => {
  const small = await terminals({
    logs: { logMemoryBytes: 2 * LOG_BLOCK_BYTES, logSpillBytes: 2 * LOG_BLOCK_BYTES },
  });
  try {
    const line = "\\033]0;ä€😀ä€😀ä€😀\\007\\033[31mä€😀\\033[0m\\n";
    const { session } = await small.finish(`for i in {1..20000}; do printf '${line}'; done`);
    const saved = async (format: "text" | "asciicast") => {
      const path = join(small.home, `out.${format}`);
      expect(await small.sessions.save(session.session_id, format, path)).toBeNull();
      return readFile(path, "utf8");
    };
    const text = await saved("text");
    expect(text).toMatch(/^\[[\d,]+ earlier bytes are no longer kept\]\n[ä€😀]{0,3}\n(ä€😀\n)+$/u);
    const [, ...events] = (await saved("asciicast")).trimEnd().split("\n");
    const all = events.map((event) => (JSON.parse(event) as [number, string, string])[2]).join("");
    expect(all).toMatch(/^\[[\d,]+ earlier bytes are no longer kept\]\r\n/u);
    const rest = all.slice(all.indexOf("\n") + 1);
    expect(["ä", "€", "😀", "\u001b"].some((begin) => rest.startsWith(begin))).toBe(true);
    expect(all).not.toContain("\ufffd");
    const missing = Number(/[\d,]+/.exec(all)?.[0].replaceAll(",", ""));
    expect(missing + Buffer.byteLength(rest)).toBe(session.output_bytes);
  } finally {
    await small.dispose();
  }
});

it("an asciicast of more than is kept begins with the size that held at the first byte that is", async () => {
  const small = await terminals({
    logs: { logMemoryBytes: 2 * LOG_BLOCK_BYTES, logSpillBytes: LOG_BLOCK_BYTES },
  });
  try {
    const flood = "seq -f %0200.f 3000; echo over; read -r";
    const { session_id: id } = await small.run(`stty -echo; echo first; read -r; ${flood}; ${flood}`);
    await small.until(id, "first\r\n");
    small.sessions.resize(id, { cols: 100, rows: 30 });
    small.sessions.type(id, "\r");
    await small.until(id, "over\r\n");
    small.sessions.resize(id, { cols: 61, rows: 41 });
    const path = join(small.home, "out.cast");
    expect(await small.sessions.save(id, "asciicast", path)).toBeNull();
    const [kept, ...later] = shownAt(await readFile(path, "utf8"));
    expect(kept?.[0]).toBe("100x30");
    expect(kept?.[1]).toMatch(/^\[[\d,]+ earlier bytes are no longer kept\]\r\n[\d\r\n]+over\r\n$/);
    expect(later).toEqual([["61x41", ""]]);
    await small.sessions.stop(id);
  } finally {
    await small.dispose();
  }
});

it("two transcripts may be on their way to one file, whose name is as long as a name can be", async () => {
  const { session } = await bridge.finish("echo once");
  const path = join(bridge.home, "n".repeat(255));
  const saves = [1, 2, 3].map(() => bridge.sessions.save(session.session_id, "text", path));
  expect(await Promise.all(saves)).toEqual([null, null, null]);
  expect(await readFile(path, "utf8")).toBe("once\n");
});

it("a transcript of a flood ends where the output was when it was asked for", async () => {
  const { session_id: id } = await bridge.run("yes");
  await bridge.until(id, "y\r\ny");
  for (const format of ["text", "asciicast"] as const)
    expect(await bridge.sessions.save(id, format, join(bridge.home, format))).toBeNull();
  await bridge.sessions.stop(id);
});

it.each(["text", "asciicast"] as const)(
  "a transcript whose tab is closed meanwhile is given up, and leaves nothing: %s",
  async (format) => {
    /** Its tab is closed while the first piece is being written. */
    class Closed extends OutputLog {
      override read(offset: number, limitBytes: number) {
        const read = super.read(offset, limitBytes);
        queueMicrotask(() => this.dispose());
        return read;
      }
    }
    const log = new Closed();
    log.append(Buffer.from("line\r\n".repeat(LOG_BLOCK_BYTES)));
    const source = {
      log,
      timeline: new Timeline(),
      sizes: new SizeHistory({ cols: 80, rows: 24 }),
      ended: true,
      snapshot: () => ({ started_at: new Date(0).toISOString() }) as TerminalSession,
      request: { command: "seq" },
      onActivity: () => () => {},
    };
    const save = writeTranscript(source, format, join(bridge.home, "out"), new AbortController().signal);
    await expect(save).rejects.toThrow("its tab was closed");
    expect((await readdir(bridge.home)).filter((name) => /out|part/.test(name))).toEqual([]);
  },
);

it("a transcript that cannot be written says why, of the path that was asked for, and leaves nothing", async () => {
  const { session } = await bridge.finish("echo");
  const folder = join(bridge.home, "folder");
  await mkdir(folder);
  for (const [path, why] of [
    [join(bridge.home, "no/such"), "there is no such place"],
    [folder, "a folder is in its place"],
    [join(bridge.home, "n".repeat(256)), "the name is too long"],
  ] as const)
    expect(await bridge.sessions.save(session.session_id, "text", path)).toBe(
      `${path} cannot be written (${why})`,
    );
  expect((await readdir(bridge.home)).filter((name) => name.includes(".part"))).toEqual([]);
  expect(await bridge.sessions.save("term_nosuchone", "text", "/x")).toMatch(/no such terminal/);
});

it("a transcript that is on its way when the app closes is given up, and leaves nothing", async () => {
  const { session } = await bridge.finish("seq 200000");
  const path = join(bridge.home, "out.txt");
  await writeFile(path, "an earlier one");
  const saved = bridge.sessions.save(session.session_id, "text", path);
  await bridge.sessions.shutdown();
  expect((await readdir(bridge.home)).filter((name) => name.includes(".part"))).toEqual([]);
  expect(await saved).toBe(`${path} cannot be written (the app is closing)`);
  expect(await readFile(path, "utf8")).toBe("an earlier one");
});

it("a restart runs the same command in a tab of its own", async () => {
  const { session } = await bridge.finish('echo "again $X"; exit 6', { env: { X: "y" }, shell: "dash" });
  const again = await bridge.sessions.restart(session.session_id);
  expect(again).not.toBe(session.session_id);
  expect(await bridge.end(again ?? "")).toMatchObject({
    exit_code: 6,
    shell: "/usr/bin/dash",
    agent: "test",
  });
  expect(await bridge.readAll(again ?? "")).toBe("again y\r\n");
  expect(await bridge.sessions.restart("term_nosuchone")).toBeNull();
});

it("[B6] a tab is named and keeps its name when it is run again; an empty name takes it away", async () => {
  const { session } = await bridge.finish("true");
  const row = (id: string) => bridge.sessions.list().find((one) => one.session_id === id);
  expect(bridge.sessions.rename(session.session_id, "  deploy ")).toBe(true);
  expect(row(session.session_id)?.name).toBe("deploy");
  const again = (await bridge.sessions.restart(session.session_id)) ?? "";
  expect(row(again)?.name).toBe("deploy");
  bridge.sessions.rename(session.session_id, " ");
  expect(row(session.session_id)).not.toHaveProperty("name");
  expect(bridge.sessions.rename("term_nosuchone", "x")).toBe(false);
});

it("[B6] a command that is cut in lists is kept whole, and says how long it is", async () => {
  const command = `true # ${"x".repeat(5_000)}`;
  const { session } = await bridge.finish(command);
  expect(session.command).toHaveLength(4_096);
  expect(session.command_chars).toBe(command.length);
  expect(bridge.sessions.command(session.session_id)).toBe(command);
  const path = join(bridge.home, "out.cast");
  expect(await bridge.sessions.save(session.session_id, "asciicast", path)).toBeNull();
  expect(JSON.parse((await readFile(path, "utf8")).split("\n", 1)[0] ?? "")).toMatchObject({ command });
  expect((await bridge.finish("true")).session).not.toHaveProperty("command_chars");
  expect(bridge.sessions.command("term_nosuchone")).toBeNull();
});

it("[B6] bells are counted though nobody looks, the ends of titles are not", async () => {
  const { session } = await bridge.finish("printf '\\033]0;title\\007a\\007b\\007'");
  expect(session.bells).toBe(2);
});

it("the end of a session is proved: its pid, and when nothing of it lived any more", async () => {
  const { session } = await bridge.finish("echo $$");
  expect(session.pid).toBe(Number(await bridge.readAll(session.session_id)));
  const goneAt = (id: string) => bridge.sessions.list().find((row) => row.session_id === id)?.gone_at;
  await poll("it is seen to be gone", () => goneAt(session.session_id));
  const left = await bridge.run("(setsid sleep 60 &); sleep 0.3; exit 0");
  await bridge.end(left.session_id);
  await poll("it is counted", () => bridge.sessions.list().some((row) => row.left_behind === 1));
  expect(goneAt(left.session_id)).toBeUndefined();
  await bridge.sessions.stop(left.session_id);
  await poll("now it is gone", () => goneAt(left.session_id));
});

it("the times of output are bounded, however long it goes on", () => {
  const timeline = new Timeline();
  for (let ms = 0; ms < 1_000_000; ms += 10) timeline.note(ms, ms);
  expect(timeline.points.length).toBeLessThan(4_096);
  expect(timeline.points[0]).toEqual({ offset: 0, atMs: 0 });
  expect(timeline.points.at(-1)?.atMs).toBeGreaterThan(990_000);
});
