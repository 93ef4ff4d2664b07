import { closeSync, constants, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { _electron, expect, test, type Page } from "@playwright/test";
import { spawn as spawnPty } from "node-pty";
import * as z from "zod/v4";
import { electronCommand } from "../../build/app.mjs";
import type { Agent } from "../agents/agent.ts";
import { handshakeAgent } from "../agents/handshake.ts";
import { launchApp, type RunningApp } from "../launch.ts";
import { waitForQuestion } from "../pages/consent-window.ts";

/* Everything goes through the app's public doors: an agent's tools, and the window's page as a person has it. */

const ROOT = resolve(import.meta.dirname, "..", "..");
const RESULT = join(ROOT, "test-results", "bench", "bridge.json");
/** So much that a command's start and end, 25 ms, are a hundredth of it. */
const LOG_BYTES = 512 * 1024 * 1024;
/** Less than a log keeps in memory: a tab skips nothing of it. */
const TAB_BYTES = 7 * 1024 * 1024;
/** Which processors the kernel puts the three that take part on differs by half from round to round. */
const ROUNDS = 11;
/** A frame is a twentieth of a round: few rounds would tell which frame the end fell into. */
const TAB_ROUNDS = 11;
/** As the bridge cuts what it sends to a tab. */
const PIECE_BYTES = 65_536;
const FRAMES_MS = 8_000;
const KEYS = 40;
const OTHER_TABS = 20;

/** Prints so many bytes in lines of 80, in pieces of 64 KiB, as the terminal passes them on (no line break is changed). */
const printer = (bytes: number) =>
  `stty -onlcr; exec perl -e 'my $s = ("x" x 78 . "\\r\\n") x 819; my $n = ${bytes}; while ($n > 0) { my $p = substr($s, 0, $n); syswrite(STDOUT, $p); $n -= length $p } syswrite(STDOUT, "BENCH_END\\r\\n")'`;
/** Prints so many bytes a second for ever, ten times a second. */
const trickle = (bytesPerSecond: number) =>
  `stty -onlcr; exec perl -e 'my $s = ("y" x 78 . "\\r\\n") x ${Math.round(bytesPerSecond / 800)}; while (1) { syswrite(STDOUT, $s); select(undef, undef, undef, 0.1) }'`;

const Started = z.looseObject({ session_id: z.string() });
const Listed = z.looseObject({
  sessions: z.array(
    z.looseObject({
      session_id: z.string(),
      started_at: z.string(),
      ended_at: z.string().nullable(),
      output_bytes: z.number(),
    }),
  ),
});
const Read = z.looseObject({ next: z.number(), has_more: z.boolean(), output: z.string() });

const samples: Record<string, number[]> = {};
const note = (name: string, value: number) => void (samples[name] ??= []).push(value);
const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
const quantile = (values: readonly number[], part: number) =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;
const median = (name: string) => quantile(samples[name] ?? [], 0.5);
/** Of rounds in turns; each is compared with the one beside it, which saw the same machine. */
const medianRatio = (name: string, reference: string) =>
  quantile(
    (samples[name] ?? []).map((value, round) => value / (samples[reference]?.[round] ?? Number.NaN)),
    0.5,
  );
const megabytes = (bytes: number, ms: number) => bytes / 1e6 / (ms / 1_000);

let app: RunningApp;
let agent: Agent;

async function run(command: string): Promise<string> {
  const answer = await agent.call("ironflow_terminal_run", {
    command,
    shell: "/bin/sh",
    cols: 100,
    rows: 30,
  });
  expect(answer.isError, answer.text).toBe(false);
  return Started.parse(answer.structured).session_id;
}

async function ended(id: string): Promise<void> {
  const wait = { session_id: id, wait_for: "exit", wait_seconds: 50, limit: 4 };
  const read = await agent.call("ironflow_terminal_read", wait);
  expect(read.structured).toMatchObject({ waited: "met", exit_code: 0 });
}

async function bytesPerMs(id: string): Promise<{ bytes: number; ms: number }> {
  const { sessions } = Listed.parse((await agent.call("ironbridge_terminal_list")).structured);
  const session = sessions.find((row) => row.session_id === id);
  if (session?.ended_at == null) throw new Error(`${id} has not ended`);
  return { bytes: session.output_bytes, ms: Date.parse(session.ended_at) - Date.parse(session.started_at) };
}

async function openTab(id: string): Promise<void> {
  await app.page.evaluate((to) => (window.location.hash = to), `#/terminals/${id}`);
  await app.page.locator(`[role=tab][data-active]`).first().waitFor();
  await app.page.locator(".xterm-rows").first().waitFor({ state: "attached" });
}

/** Bare node-pty: the same program, its bytes counted and dropped; the other side is held open, so that none are lost. */
async function barePty(): Promise<number> {
  const begin = performance.now();
  const pty = spawnPty("/bin/sh", ["-c", printer(LOG_BYTES)], { cols: 100, rows: 30, encoding: null });
  const name = (pty as unknown as { ptsName: string }).ptsName; // not in its types
  const slave = openSync(name, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
  const wanted = LOG_BYTES + "BENCH_END\r\n".length;
  let bytes = 0;
  await new Promise<void>((done) =>
    pty.onData((data) => {
      bytes += data.length;
      if (bytes >= wanted) done();
    }),
  );
  const ms = performance.now() - begin;
  closeSync(slave);
  return megabytes(bytes, ms);
}

const screenshotSize = (page: Page) =>
  page.evaluate(() => ({ width: window.innerWidth, height: window.innerHeight }));

/** The 99th percentile of the time between two frames, in ms. */
const frames = (page: Page, ms: number) =>
  page.evaluate(
    (forMs) =>
      new Promise<number[]>((done) => {
        const gaps: number[] = [];
        const begin = performance.now();
        let last = begin;
        const next = (now: number) => {
          if (now > last) gaps.push(now - last);
          last = now;
          if (now - begin < forMs) requestAnimationFrame(next);
          else done(gaps);
        };
        requestAnimationFrame(next);
      }),
    ms,
  );

/** From a key's event to its character on screen, in ms: a program that shows what is typed is in the tab. */
async function keyEchoes(page: Page, name: string): Promise<void> {
  await page.evaluate(() => {
    const state = window as unknown as { echoes: number[] };
    state.echoes = [];
    const area = [...document.querySelectorAll<HTMLTextAreaElement>(".xterm-helper-textarea")].find(
      (one) => one.offsetParent !== null,
    );
    const rows = area?.closest(".xterm")?.querySelector(".xterm-rows");
    if (area === undefined || rows == null) throw new Error("there is no terminal to type into");
    area.focus();
    document.addEventListener(
      "keydown",
      () => {
        const begin = performance.now();
        const before = rows.textContent;
        const look = () => {
          if (rows.textContent !== before) state.echoes.push(performance.now() - begin);
          else if (performance.now() - begin < 3_000) requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      },
      { capture: true },
    );
  });
  for (let key = 0; key < KEYS; key += 1) {
    await page.keyboard.press("abcdefghij"[key % 10] ?? "a");
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { echoes: number[] }).echoes.length), {
        timeout: 10_000,
        intervals: [20],
      })
      .toBeGreaterThan(key);
  }
  const echoes = await page.evaluate(() => (window as unknown as { echoes: number[] }).echoes);
  for (const echo of echoes) note(name, echo);
}

test.beforeAll(async () => {
  app = await launchApp({ flags: ["--allow-writes", "--terminals"] });
  agent = await handshakeAgent(app.connection.mcp.url, app.token);
  const first = agent.call("ironflow_terminal_run", { command: "true" });
  await (await waitForQuestion(app, "Run a command in a terminal")).approve();
  expect((await first).isError).toBe(false);
});
test.afterAll(async () => {
  await agent.close();
  await app.close();
});

test("bench:bridge", async () => {
  // 1. From pty to log, with nobody watching, beside bare node-pty; in turns, so that both see the same machine.
  for (let round = 0; round < ROUNDS; round += 1) {
    note("pty_mb_per_s", await barePty());
    const id = await run(printer(LOG_BYTES));
    await ended(id);
    const { bytes, ms } = await bytesPerMs(id);
    note("log_mb_per_s", megabytes(bytes, ms));
  }

  // 2. What an agent gets by reads.
  const short = await run(printer(TAB_BYTES));
  await ended(short);
  const begin = performance.now();
  let offset = 0;
  for (let more = true; more;) {
    const args = { session_id: short, offset, limit: 131_072 };
    const page = Read.parse((await agent.call("ironflow_terminal_read", args)).structured);
    offset = page.next;
    more = page.has_more;
  }
  note("agent_read_mb_per_s", megabytes(offset, performance.now() - begin));

  // 3. An idle window, an idle tab with a key, and a tab that is fed 2 MB/s.
  const idle = await run("exec cat");
  await openTab(idle);
  await app.page.waitForTimeout(1_000);
  for (const gap of await frames(app.page, FRAMES_MS)) note("idle_frame_ms", gap);
  await keyEchoes(app.page, "idle_key_ms");
  const fed = await run(trickle(2_000_000));
  await openTab(fed);
  await app.page.waitForTimeout(1_000);
  for (const gap of await frames(app.page, FRAMES_MS)) note("fed_frame_ms", gap);
  await agent.call("ironbridge_terminal_stop", { session_id: fed });

  // 4. From pty to a visible tab, parsed and drawn; in turns with a bare xterm of the same size, fed from memory.
  const geometry = await screenshotSize(app.page);
  const bare = await openBareXterm(geometry, await terminalBox(app.page));
  try {
    for (let round = 0; round < TAB_ROUNDS; round += 1) {
      note("xterm_mb_per_s", megabytes(TAB_BYTES, await bare.round()));
      const id = await run(`read -r go; ${printer(TAB_BYTES)}`);
      await app.page.bringToFront();
      await openTab(id);
      await keepPointerOff(app.page);
      await app.page.waitForTimeout(500);
      const seen = shownWithin(app.page);
      await agent.call("ironbridge_terminal_input", { session_id: id, text: "\r" });
      note("tab_mb_per_s", megabytes(TAB_BYTES, await seen));
    }
  } finally {
    await bare.close();
  }

  // 5. A key while 20 other tabs print 200 kB/s each.
  for (let tab = 0; tab < OTHER_TABS; tab += 1) await run(trickle(200_000));
  await openTab(idle);
  await app.page.waitForTimeout(2_000);
  await keyEchoes(app.page, "loaded_key_ms");

  const figures = {
    log_vs_pty: medianRatio("log_mb_per_s", "pty_mb_per_s"),
    tab_vs_xterm: medianRatio("tab_mb_per_s", "xterm_mb_per_s"),
    agent_read_mb_per_s: median("agent_read_mb_per_s"),
    frame_p99_vs_idle:
      quantile(samples["fed_frame_ms"] ?? [], 0.99) / quantile(samples["idle_frame_ms"] ?? [], 0.99),
    key_echo_vs_idle: median("loaded_key_ms") / median("idle_key_ms"),
  };
  const reference = {
    pty_mb_per_s: median("pty_mb_per_s"),
    log_mb_per_s: median("log_mb_per_s"),
    xterm_mb_per_s: median("xterm_mb_per_s"),
    tab_mb_per_s: median("tab_mb_per_s"),
    idle_frame_p99_ms: quantile(samples["idle_frame_ms"] ?? [], 0.99),
    fed_frame_p99_ms: quantile(samples["fed_frame_ms"] ?? [], 0.99),
    idle_key_ms: median("idle_key_ms"),
    loaded_key_ms: median("loaded_key_ms"),
  };
  mkdirSync(join(RESULT, ".."), { recursive: true });
  writeFileSync(RESULT, JSON.stringify({ figures, reference, samples }, null, 1));
  for (const value of Object.values(figures)) expect(Number.isFinite(value)).toBe(true);
});

/**
 * From the first frame that shows some of the output to the one that shows its end, in ms: neither a program's start nor a
 * call's way is in it.
 */
const shownWithin = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((done) => {
        // Found once: to ask each time which one is shown would lay out the page in every frame.
        const rows = [...document.querySelectorAll<HTMLElement>(".xterm-rows")].find((one) =>
          one.checkVisibility(),
        );
        if (document.querySelector(".xterm:hover") !== null)
          throw new Error("the pointer is over the terminal");
        let from = 0;
        const look = (now: number) => {
          const text = rows?.textContent ?? "";
          if (from === 0 && text.includes("xxxx")) from = now;
          if (text.includes("BENCH_END")) done(now - from);
          else requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      }),
  );

/** Bare xterm does a sixth less while the pointer is over it, and the display's own pointer may be anywhere: it is over neither. */
async function keepPointerOff(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const one of document.querySelectorAll<HTMLElement>(".xterm")) one.style.pointerEvents = "none";
  });
  await page.mouse.move(2, 2);
  await page.mouse.move(3, 3);
  await page.waitForFunction(() => document.querySelector(".xterm:hover") === null);
}

const terminalBox = (page: Page) =>
  page.evaluate(() => {
    const screen = [...document.querySelectorAll<HTMLElement>(".xterm-screen")].find(
      (one) => one.offsetParent !== null,
    );
    return { width: screen?.clientWidth ?? 0, height: screen?.clientHeight ?? 0 };
  });

interface BareXterm {
  /** Feeds it as much as a tab gets. In ms, as `shownWithin`. */
  round(): Promise<number>;
  close(): Promise<void>;
}

async function openBareXterm(
  window: { width: number; height: number },
  box: { width: number; height: number },
): Promise<BareXterm> {
  const { command, args } = electronCommand([
    `--xterm=${join(ROOT, "node_modules", "@xterm", "xterm")}`,
    `--size=${window.width}x${window.height}`,
  ]);
  const bare = await _electron.launch({
    executablePath: command,
    args: [join(import.meta.dirname, "bare"), ...args.slice(1)],
  });
  const page = await bare.firstWindow();
  await page.waitForFunction(() => "Terminal" in window);
  return {
    async round() {
      await page.bringToFront();
      await page.evaluate((size) => {
        interface Bare {
          open(element: HTMLElement): void;
          write(text: string): void;
          resize(cols: number, rows: number): void;
          dispose(): void;
        }
        const state = window as unknown as { Terminal: new (options: object) => Bare; bare?: Bare };
        const host = document.querySelector<HTMLElement>("#box");
        if (host === null) throw new Error("no box");
        // A new one each time, as each round of the app has a tab of its own.
        state.bare?.dispose();
        const terminal = new state.Terminal({ fontSize: 12, lineHeight: 1.25, scrollback: 20_000 });
        terminal.open(host);
        const cell = document.querySelector<HTMLElement>(".xterm-screen");
        const { clientWidth = 1, clientHeight = 1 } = cell ?? {};
        terminal.resize(
          Math.max(2, Math.floor((size.width * 80) / clientWidth)),
          Math.max(2, Math.floor((size.height * 24) / clientHeight)),
        );
        state.bare = terminal;
      }, box);
      await keepPointerOff(page);
      await page.waitForTimeout(500);
      const seen = shownWithin(page);
      await page.evaluate(
        ({ bytes, pieceBytes }) => {
          const { bare: terminal } = window as unknown as { bare: { write(text: string): void } };
          const piece = `${"x".repeat(78)}\r\n`.repeat(Math.floor(pieceBytes / 80));
          for (let left = bytes; left > 0; left -= piece.length) terminal.write(piece.slice(0, left));
          terminal.write("BENCH_END\r\n");
        },
        { bytes: TAB_BYTES, pieceBytes: PIECE_BYTES },
      );
      return seen;
    },
    close: () => bare.close(),
  };
}
