import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod/v4";
import { openProfileFile } from "./profile-file.ts";

const Schema = z.strictObject({ port: z.number().int() });
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-profile-"));
  path = join(folder, "settings.json");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a file of the profile", () => {
  it("starts with the start value and holds what was saved, for its owner only", () => {
    const file = openProfileFile(path, Schema, { port: 1 });
    expect(file.value).toEqual({ port: 1 });
    file.save({ port: 2 });
    expect(openProfileFile(path, Schema, { port: 1 }).value).toEqual({ port: 2 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(["settings.json"]);
  });

  it.each([
    ["half a file", '{"port":', "it is not JSON"],
    ["a field of the wrong kind", '{"port":"x"}', "port: "],
  ])("keeps %s aside, names it and goes on with the start value", (_, text, wrong) => {
    writeFileSync(path, text);
    const file = openProfileFile(path, Schema, { port: 1 }, new Date("2026-01-02T03:04:05.678Z"));
    expect(file.value).toEqual({ port: 1 });
    expect(file.problem).toContain(wrong);
    const kept = `${path}.broken-2026-01-02T03-04-05-678Z`;
    expect(file.problem).toContain(kept);
    expect(readFileSync(kept, "utf8")).toBe(text);
  });

  it("refuses to save what it could not read again, and leaves the file as it was", () => {
    const file = openProfileFile(path, Schema, { port: 1 });
    file.save({ port: 2 });
    expect(() => file.save({ port: 1.5 })).toThrow("expected int");
    expect(file.value).toEqual({ port: 2 });
    expect(readFileSync(path, "utf8")).toContain('"port": 2');
  });

  it("leaves no half file behind when the folder cannot be written", () => {
    const file = openProfileFile(join(folder, "missing", "settings.json"), Schema, { port: 1 });
    expect(() => file.save({ port: 2 })).toThrow("ENOENT");
    expect(readdirSync(folder)).toEqual([]);
    expect(file.value).toEqual({ port: 1 });
  });
});
