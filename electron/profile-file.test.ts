import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { openProfileFile } from "./profile-file.ts";

const Schema = z.object({
  version: z.literal(1),
  port: z.number().int(),
  theme: z.enum(["dark", "light"]).optional(),
  rights: z.record(z.string(), z.boolean()).optional(),
  names: z.array(z.string()).max(3).optional(),
});
type Content = z.infer<typeof Schema>;
const lost = { all: "the defaults are used", some: "the defaults are used for these" };
const now = new Date("2026-01-02T03:04:05.678Z");
const open = () =>
  openProfileFile<Content>(path, { schema: Schema, start: { version: 1, port: 1 }, lost, now });
const KEPT = "broken-2026-01-02T03-04-05-678Z";
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-profile-"));
  path = join(folder, "settings.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

describe("a file of the profile", () => {
  it("starts with the start value and holds what was saved, for its owner only", () => {
    const file = open();
    expect(file.value).toEqual({ version: 1, port: 1 });
    file.save({ version: 1, port: 2 });
    expect(open().value).toEqual({ version: 1, port: 2 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["settings.json"]);
  });

  it.each([
    ["half a file", '{"port":', "it is not JSON"],
    ["a list", "[]", "it is not a JSON object"],
    ["nothing", "", "it is not JSON"],
  ])("that holds %s is kept aside and named with what it costs", (_, text, wrong) => {
    writeFileSync(path, text);
    const file = open();
    expect(file.value).toEqual({ version: 1, port: 1 });
    expect(file.problem).toBe(
      `${path} could not be read (${wrong}): the defaults are used. It is kept as ${path}.${KEPT}.`,
    );
    expect(readFileSync(`${path}.${KEPT}`, "utf8")).toBe(text);
    expect(readdirSync(folder)).toEqual(["settings.json", `settings.json.${KEPT}`]);
    expect(open().value, "at the next start").toEqual({ version: 1, port: 1 });
  });

  it("loses only the values that are wrong, says which, and keeps them aside", () => {
    const text = JSON.stringify({
      version: 1,
      port: "x",
      theme: "dark",
      rights: { a: true, b: "yes" },
      names: ["one", 2, "three"],
      unknown: 1,
    });
    writeFileSync(path, text);
    const file = open();
    const good = { version: 1, port: 1, theme: "dark", rights: { a: true }, names: ["one", "three"] };
    expect(file.value).toEqual(good);
    expect(file.problem).toMatch(
      /in part \(port: .*; rights\.b: .*; names\.1: .*\): the defaults are used for these\./,
    );
    expect(file.problem).toContain(`${path}.${KEPT}`);
    expect(readFileSync(`${path}.${KEPT}`, "utf8")).toBe(text);
    expect(open().value, "at the next start").toEqual(good);
    expect(open().problem).toBeUndefined();
  });

  it.each([
    ["not at all", "{", ["port", "theme", "rights"]],
    ["in part", '{"version":1,"port":4,"theme":"pink","rights":{"a":1}}', ["theme", "rights"]],
    ["not by this version", '{"version":2}', ["port", "theme", "rights"]],
    ["in whole", '{"version":1,"port":4}', undefined],
  ])("that can be read %s says what it lost before it is used", (_, text, expected) => {
    writeFileSync(path, text);
    let fields: string[] | undefined;
    let told = "";
    const closing = openProfileFile<Content>(path, {
      schema: Schema,
      start: { version: 1, port: 1 },
      lost,
      now,
      afterLoss(value, gone, problem) {
        fields = ["port", "theme", "rights"].filter((field) => gone.has(field));
        told = problem;
        expect(readFileSync(path, "utf8"), "the damaged file is still there").toBe(text);
        return { ...value, rights: { closed: true } };
      },
    });
    expect(fields).toEqual(expected);
    expect(told).toBe(closing.problem ?? "");
    expect(closing.value.rights).toEqual(expected === undefined ? undefined : { closed: true });
    const next = open();
    expect(next.isNewer || next.value, "at the next start").toEqual(closing.isNewer || closing.value);
  });

  it("of a newer version is named as such and never written, whatever is saved", () => {
    const text = JSON.stringify({ version: 2, port: 7, more: true });
    writeFileSync(path, text);
    const file = open();
    expect(file.isNewer).toBe(true);
    expect(file.problem).toContain("newer version of the app (version 2 of the file; this one knows 1)");
    expect(file.problem).toContain("the defaults are used");
    file.save({ version: 1, port: 3 });
    expect(file.value.port).toBe(3);
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(readdirSync(folder)).toEqual(["settings.json"]);
  });

  it("that is a folder is named with what to do", () => {
    mkdirSync(path);
    expect(open).toThrow(`${path} cannot be read (a folder is in its place); move it away`);
  });

  it("refuses to save what it could not read again, and leaves the file as it was", () => {
    const file = open();
    file.save({ version: 1, port: 2 });
    expect(() => file.save({ version: 1, port: 1.5 })).toThrow("expected int");
    expect(file.value.port).toBe(2);
    expect(readFileSync(path, "utf8")).toContain('"port": 2');
  });

  it("leaves no half file behind when the folder cannot be written", () => {
    path = join(folder, "missing", "settings.json");
    const file = open();
    expect(() => file.save({ version: 1, port: 2 })).toThrow("ENOENT");
    expect(readdirSync(folder)).toEqual([]);
    expect(file.value.port).toBe(1);
  });
});
