import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { handClock } from "../testing/hand-clock.ts";
import { openAudit, REPEATS_MS } from "./audit.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-audit-"));
  path = join(folder, "audit.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const now = () => new Date("2026-01-02T03:04:05Z");
const lines = () =>
  readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);

describe("the audit", () => {
  it("has a line on disk by the time the write resolves, for its owner only", async () => {
    const audit = openAudit({ path, now, onLost: () => {} });
    await audit.write({ event: "mcp.call", user: "token:claude", detail: { tool: "x" } });
    expect(lines()).toEqual([
      { time: "2026-01-02T03:04:05.000Z", event: "mcp.call", user: "token:claude", detail: { tool: "x" } },
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await audit.close();
  });

  it("keeps the order of many at once, one line each, whatever is in them", async () => {
    const audit = openAudit({ path, now, onLost: () => {} });
    const all = Array.from({ length: 300 }, (_, at) =>
      audit.write({ event: "mcp.call", user: "token:a\nb", detail: { at } }),
    );
    await Promise.all(all);
    expect(lines().map((line) => (line as { detail: { at: number } }).detail.at)).toEqual(
      all.map((_, at) => at),
    );
    await audit.close();
  });

  it("is added to by the next life of the app", async () => {
    for (const user of ["user", "token:a"]) {
      const audit = openAudit({ path, now, onLost: () => {} });
      await audit.write({ event: "mcp.call", user, detail: {} });
      await audit.close();
    }
    expect(lines()).toHaveLength(2);
  });

  it("begins a line of its own behind one that a crash, or a full disk, has torn", async () => {
    const torn = '{"time":"2026-01-02T03:04:05.000Z","event":"mcp.ca';
    writeFileSync(path, torn);
    const audit = openAudit({ path, now, onLost: () => {} });
    await audit.write({ event: "mcp.call", user: "user", detail: {} });
    await audit.write({ event: "mcp.result", user: "user", detail: {} });
    await audit.close();
    const [first, ...rest] = readFileSync(path, "utf8").split("\n");
    expect(first).toBe(torn);
    expect(rest.map((line) => (line === "" ? "" : (JSON.parse(line) as { event: string }).event))).toEqual([
      "mcp.call",
      "mcp.result",
      "",
    ]);
  });

  it("counts what it could not write, says so once, and lets the work go on", async () => {
    const causes: unknown[] = [];
    mkdirSync(path);
    const audit = openAudit({ path, now, onLost: (cause) => void causes.push(cause) });
    await audit.write({ event: "mcp.call", user: "user", detail: {} });
    await audit.write({ event: "mcp.call", user: "user", detail: {} });
    expect(audit.lost).toBe(2);
    expect(causes).toHaveLength(1);
    rmSync(path, { recursive: true });
    await audit.write({ event: "mcp.result", user: "user", detail: {} });
    expect(lines()).toHaveLength(1);
    expect(audit.lost).toBe(2);
    await audit.close();
  });
});

const call = (user: string, detail = {}) => ({ event: "mcp.call", user, detail });

describe("the audit's files", () => {
  it("are put aside before they are too large, and only so many are kept", async () => {
    const audit = openAudit({ path, now, onLost: () => {}, limits: { rotateBytes: 1_000, keep: 2 } });
    for (let at = 0; at < 60; at += 1) await audit.write(call("user", { at }));
    const files = [path, `${path}.1`, `${path}.2`];
    for (const file of files) {
      expect(statSync(file).size).toBeLessThanOrEqual(1_000);
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
    expect(existsSync(`${path}.3`)).toBe(false);
    const kept = await audit.query({ limit: 200 });
    expect(kept.map(({ detail }) => detail["at"])).toEqual(kept.map((_, at) => 59 - at));
    expect(kept.length).toBeGreaterThan(20);
    await audit.close();
  });

  it("a line that a crash tore is skipped, and the next one is whole", async () => {
    const first = openAudit({ path, now, onLost: () => {} });
    await first.write(call("token:a"));
    await first.close();
    appendFileSync(path, '{"time":"2026-01-02T03:04:05.000Z","event":"mcp.ca');
    const second = openAudit({ path, now, onLost: () => {} });
    await second.write(call("token:b"));
    expect((await second.query({ limit: 200 })).map(({ user }) => user)).toEqual(["token:b", "token:a"]);
    await second.close();
  });

  it("of another mode are closed to others when they are written again", async () => {
    writeFileSync(path, "", { mode: 0o644 });
    const audit = openAudit({ path, now, onLost: () => {} });
    await audit.write(call("user"));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    await audit.close();
  });
});

describe("a query of the audit", () => {
  it.each([
    [{ event: "mcp." }, [5, 3, 2]],
    [{ event: "mcp" }, []],
    [{ event: "mcp.call" }, [5, 2]],
    [{ event: "consent." }, [4]],
    [{ user: "token:a" }, [3, 2]],
    [{ user: "a" }, []],
    [{ since: "2026-01-01T00:00:03Z" }, [6, 5, 4, 3]],
    [{ since: "2026-01-01T01:00:03+01:00" }, [6, 5, 4, 3]],
    [{ event: "mcp.", user: "token:a", since: "2026-01-01T00:00:03Z" }, [3]],
    [{ limit: 2 }, [6, 5]],
  ])("for %j gives the rows %j, newest first", async (filter, expected) => {
    let second = 1;
    const audit = openAudit({
      path,
      now: () => new Date(Date.UTC(2026, 0, 1, 0, 0, second)),
      onLost: () => {},
    });
    const rows = [
      ["mcp.call", "token:a"],
      ["mcp.refused", "token:a"],
      ["consent.asked", "token:b"],
      ["mcp.call", "user"],
      ["panic.on", "user"],
    ] as const;
    for (const [event, user] of rows) {
      second += 1;
      await audit.write({ event, user, detail: { at: second } });
    }
    const found = await audit.query({ limit: 200, ...filter });
    expect(found.map(({ detail }) => detail["at"])).toEqual(expected);
    await audit.close();
  });

  it("reads lines that lie across the blocks of a large file", async () => {
    const audit = openAudit({ path, now, onLost: () => {} });
    const long = "é".repeat(700);
    await Promise.all(Array.from({ length: 900 }, (_, at) => audit.write(call("user", { at, long }))));
    expect(statSync(path).size).toBeGreaterThan(1_000_000);
    await audit.write(call("token:last"));
    await audit.write(call("user"));
    expect(await audit.query({ user: "token:last", limit: 200 })).toHaveLength(1);
    const all = await audit.query({ user: "user", limit: 5_000 });
    expect(all.slice(1).map(({ detail }) => detail["at"])).toEqual(
      Array.from({ length: 900 }, (_, at) => 899 - at),
    );
    await audit.close();
  });
});

describe("a flood of the same refusal", () => {
  const refused = (remote: string) => ({
    event: "mcp.refused",
    user: "unknown",
    remote,
    detail: { reason: "unknown token" },
  });

  it("is its first row at once and one more with the count of the rest", async () => {
    const time = handClock();
    const audit = openAudit({ path, now, onLost: () => {}, clock: time.clock });
    for (let at = 0; at < 500; at += 1) audit.repeat(refused(`127.0.0.1:${at}`));
    audit.repeat({ ...refused("127.0.0.1:1"), user: "token:a" });
    expect((await audit.query({ limit: 200 })).map(({ detail }) => detail["count"])).toEqual([
      undefined,
      undefined,
    ]);
    await time.move(REPEATS_MS);
    expect((await audit.query({ limit: 200 })).map(({ detail }) => detail["count"])).toEqual([
      499,
      undefined,
      undefined,
    ]);
    audit.repeat(refused("127.0.0.1:2"));
    expect(await audit.query({ limit: 200 })).toHaveLength(4);
    await audit.close();
  });

  it("is counted to the last one when the app ends", async () => {
    const audit = openAudit({ path, now, onLost: () => {} });
    for (let at = 0; at < 3; at += 1) audit.repeat(refused("127.0.0.1:9"));
    await audit.close();
    expect(lines().map((line) => (line as { detail: { count?: number } }).detail.count)).toEqual([
      undefined,
      2,
    ]);
  });
});
