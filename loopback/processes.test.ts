import { describe, expect, it } from "vitest";
import { parsePs, parseStat, parseWindowsList } from "./processes.ts";

describe("parseStat", () => {
  const line = (name: string, state = "S", threads = 1) =>
    `42 (${name}) ${state} 7 41 40 34816 42 4194304 1 0 0 0 5 6 0 0 20 0 ${threads} 0 136634 3932160 535 1844`;

  it("reads parent, group, session and start", () => {
    expect(parseStat(line("sh"), "boot")).toStrictEqual({
      pid: 42,
      parent: 7,
      group: 41,
      session: 40,
      startTime: "boot:136634",
      startOrder: 136_634,
      zombie: false,
    });
  });

  it.each(["a b", ") S 1 1 1", "x) Z (y", "", "\n"])("is not led astray by the name %j", (name) => {
    expect(parseStat(line(name), "b")).toMatchObject({
      pid: 42,
      parent: 7,
      group: 41,
      session: 40,
      zombie: false,
    });
  });

  it("tells a zombie from a process whose first thread has ended", () => {
    expect(parseStat(line("sh", "Z"), "b")?.zombie).toBe(true);
    expect(parseStat(line("sh", "X"), "b")?.zombie).toBe(true);
    expect(parseStat(line("sh", "Z", 2), "b")?.zombie).toBe(false);
  });

  it("takes no thread for a process", () => {
    const whole = `42 (sh) S 7 41 40 ${"0 ".repeat(13)}1 0 136634 ${"0 ".repeat(15)}`;
    expect(parseStat(`${whole}17 0`, "b")).toMatchObject({ pid: 42, startOrder: 136_634 });
    expect(parseStat(`${whole}-1 0`, "b")).toBeUndefined();
  });

  it.each(["", "42", "42 (sh) S", line("sh").replace("136634", "x"), line("sh").replace("42 ", "x ")])(
    "takes nothing from %j",
    (stat) => {
      expect(parseStat(stat, "b")).toBeUndefined();
    },
  );
});

describe("parsePs", () => {
  it("reads macOS's list", () => {
    const sample = [
      "    1     0     1 Ss   Mon Nov 30 08:00:00 2026    ",
      "  501   500   501 S+   Mon Nov 30 18:22:01 2026    ",
      "99999   501   501 Z    Tue Dec  1 00:00:09 2026    ",
      "",
    ].join("\n");
    const zoneless = (text: string) => Date.parse(text);
    expect(parsePs(sample)).toStrictEqual([
      {
        pid: 1,
        parent: 0,
        group: 1,
        session: 0,
        startTime: "Mon Nov 30 08:00:00 2026",
        startOrder: zoneless("2026-11-30T08:00:00"),
        zombie: false,
      },
      {
        pid: 501,
        parent: 500,
        group: 501,
        session: 0,
        startTime: "Mon Nov 30 18:22:01 2026",
        startOrder: zoneless("2026-11-30T18:22:01"),
        zombie: false,
      },
      {
        pid: 99_999,
        parent: 501,
        group: 501,
        session: 0,
        startTime: "Tue Dec 1 00:00:09 2026",
        startOrder: zoneless("2026-12-01T00:00:09"),
        zombie: true,
      },
    ]);
  });

  it("leaves out what is no process", () => {
    expect(parsePs("ps: illegal option\n 1 2 3 S never\n 1 2\n")).toStrictEqual([]);
  });
});

describe("parseWindowsList", () => {
  it("reads pid, parent and creation", () => {
    expect(parseWindowsList("4 0 134084448000000000\r\n\r\noops\r\n")).toStrictEqual([
      {
        pid: 4,
        parent: 0,
        group: 0,
        session: 0,
        startTime: "134084448000000000",
        startOrder: Date.parse("2025-11-24T08:00:00Z"),
        zombie: false,
      },
    ]);
  });
});
