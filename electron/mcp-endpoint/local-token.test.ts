import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeLocalToken } from "./local-token.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-local-"));
  path = join(folder, "local-token");
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

const inFile = () => readFileSync(path, "utf8").trim();

describe("the local token", () => {
  it.each([
    [{ allowWrites: false, terminals: false }, ["mcp.call"]],
    [{ allowWrites: true, terminals: false }, ["mcp.call", "mcp.write"]],
    [{ allowWrites: false, terminals: true }, ["mcp.call", "mcp.terminal"]],
    [{ allowWrites: true, terminals: true }, ["mcp.call", "mcp.write", "mcp.terminal"]],
  ])("with the flags %j may %j", (flags, permissions) => {
    const local = makeLocalToken(path, flags);
    expect(local.authenticate(inFile())?.caller).toEqual({ kind: "token", name: "local", permissions });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is another one for each launch, and its file goes with it", () => {
    const first = makeLocalToken(path, { allowWrites: true, terminals: true });
    const token = inFile();
    const second = makeLocalToken(path, { allowWrites: false, terminals: false });
    expect(inFile()).not.toBe(token);
    expect(second.authenticate(token)).toBeUndefined();
    expect(first.authenticate("")).toBeUndefined();
    second.remove();
    expect(existsSync(path)).toBe(false);
  });
});
