import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { asStartProblem, StartProblem } from "./start-problem.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "ironbridge-problem-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (cause) {
    return cause;
  }
  throw new Error("nothing was thrown");
}

describe("what keeps the app from starting", () => {
  it("is told by the name of the file that is in the way, not of the one that was to replace it", () => {
    const [aside, path] = [join(folder, "aside"), join(folder, "local-token")];
    writeFileSync(aside, "");
    mkdirSync(path);
    const problem = asStartProblem(thrownBy(() => renameSync(aside, path)));
    expect(problem).toBeInstanceOf(StartProblem);
    expect(String(problem)).toContain(`${path} cannot be used (a folder is in its place); move it away`);
  });

  it("is told by the name of the file that is missing", () => {
    const path = join(folder, "missing");
    const problem = asStartProblem(thrownBy(() => readFileSync(path)));
    expect(String(problem)).toContain(`${path} cannot be used (there is no such place)`);
  });

  it.each([new Error("x"), new StartProblem("y"), "text", undefined])(
    "stays %s when it names no file",
    (cause) => {
      expect(asStartProblem(cause)).toBe(cause);
    },
  );
});
