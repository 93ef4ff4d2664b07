import { describe, expect, it } from "vitest";
import { parseRecordFile, parseReply, parseRequest, requestNumber } from "./reaper-records.ts";

const session = "5f0c1d2e-0000-4000-8000-000000000000";
const owner = { pid: 100, startTime: "b:1" };
const config = { session, file: "/x/reaper.json", owner };
const id = { pid: 200, startTime: "b:2" };

describe("parseRequest", () => {
  it.each([
    { n: 1, config },
    { n: 2, add: id },
    { n: 3, remove: 200 },
  ])("takes %j as it is", (request) => {
    expect(parseRequest(JSON.stringify(request))).toStrictEqual(request);
  });

  it.each<[unknown, string]>([
    ["", "request is not an object"],
    [[], "request is not an object"],
    [null, "request is not an object"],
    [{}, "n is not"],
    [{ n: 1 }, "remove is not"],
    [{ n: -1, remove: 200 }, "n is not"],
    [{ n: 1.5, remove: 200 }, "n is not"],
    [{ n: 1, remove: 1 }, "remove is not a process"],
    [{ n: 1, remove: 0 }, "remove is not a process"],
    [{ n: 1, remove: -200 }, "remove is not"],
    [{ n: 1, remove: "200" }, "remove is not"],
    [{ n: 1, remove: 200, x: 1 }, "unknown field x"],
    [{ n: 1, add: id, remove: 200 }, "unknown field remove"],
    [{ n: 1, add: { ...id, pid: 1 } }, "add.pid is not a process"],
    [{ n: 1, add: { pid: 200 } }, "add.startTime is not"],
    [{ n: 1, add: { ...id, startTime: "" } }, "add.startTime is not"],
    [{ n: 1, add: { ...id, x: 1 } }, "unknown field x"],
    [{ n: 1, config: { ...config, session: "a=b" } }, "session is not"],
    [{ n: 1, config: { ...config, session: "short" } }, "session is not"],
    [{ n: 1, config: { ...config, file: 7 } }, "config.file is not"],
    [{ n: 1, config: { ...config, owner: 7 } }, "config.owner is not an object"],
    [{ n: 1, config: { ...config, more: 7 } }, "unknown field more"],
  ])("refuses %j and says why", (request, why) => {
    expect(() => parseRequest(JSON.stringify(request))).toThrow(why);
  });

  it("refuses what is not JSON", () => {
    expect(() => parseRequest("{")).toThrow("not JSON");
  });
});

describe("requestNumber", () => {
  it.each([
    ['{"n":7,"x":1}', 7],
    ['{"n":"7"}', 0],
    ["[]", 0],
    ["{", 0],
  ])("of %s is %i", (line, n) => {
    expect(requestNumber(line)).toBe(n);
  });
});

describe("parseReply", () => {
  it.each([
    { n: 1, ok: true },
    { n: 1, ok: true, held: true },
    { n: 1, ok: true, held: false },
    { n: 0, ok: false, why: "reason" },
    { ended: [200], survivors: [] },
  ])("takes %j as it is", (reply) => {
    expect(parseReply(JSON.stringify(reply))).toStrictEqual(reply);
  });

  it.each([{ n: 1, ok: false }, { ended: [1], survivors: [] }, { ended: [200] }, { ok: true }])(
    "refuses %j",
    (reply) => {
      expect(() => parseReply(JSON.stringify(reply))).toThrow(/ is not /);
    },
  );
});

describe("parseRecordFile", () => {
  const file = { version: 1, session, owner, boot: "b", processes: [id, { ...id, knownAt: 5 }] };

  it("takes what was written", () => {
    expect(parseRecordFile(JSON.stringify(file))).toStrictEqual(file);
    expect(parseRecordFile(JSON.stringify({ ...file, boot: "" })).boot).toBe("");
  });

  it.each([
    { ...file, version: 2 },
    { ...file, session: "x" },
    { ...file, owner: undefined },
    { ...file, boot: 1 },
    { ...file, processes: {} },
    { ...file, processes: [{ ...id, pid: 1 }] },
    { ...file, processes: [{ ...id, knownAt: "now" }] },
    { ...file, processes: Array.from({ length: 5_000 }, () => id) },
  ])("refuses case %#", (content) => {
    expect(() => parseRecordFile(JSON.stringify(content))).toThrow(/ is not |more than/);
  });
});
