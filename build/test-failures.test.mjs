import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "./paths.mjs";
import { failureText, playwrightFailures, vitestFailures } from "./test-failures.mjs";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ironbridge-failures-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the failures of a run", () => {
  it("are read from vitest's report, with our own frames and the source around the place", () => {
    const file = join(folder, "a.test.ts");
    writeFileSync(file, Array.from({ length: 40 }, (_, line) => `line ${line + 1}`).join("\n"));
    const stack = `Error: expected 1 to be 2\n    at f (/x/node_modules/y.js:1:2)\n    at ${file}:20:5`;
    const test = { ancestorTitles: ["outer"], title: "inner", status: "failed", failureMessages: [stack] };
    const failures = vitestFailures({
      testResults: [
        {
          name: file,
          status: "failed",
          message: "",
          assertionResults: [test, { ...test, title: "good", status: "passed", failureMessages: [] }],
        },
        { name: join(ROOT, "b.test.ts"), status: "failed", message: "cannot be read", assertionResults: [] },
        { name: join(ROOT, "c.test.ts"), status: "passed", message: "", assertionResults: [] },
      ],
    });
    expect(failures.map(({ name, error }) => [name, error])).toEqual([
      [`${relative(ROOT, file)} > outer > inner`, `Error: expected 1 to be 2\n    at ${file}:20:5`],
      ["b.test.ts", "cannot be read"],
    ]);
    expect(failures[0]?.context.split("\n")).toHaveLength(21);
    expect(failures[0]?.context).toContain("\n> 20 | line 20\n");
  });

  it("are read from Playwright's report, with the page and what was written", () => {
    const path = join(folder, "error-context.md");
    writeFileSync(
      path,
      "# Error details\n\nx\n\n# Page snapshot\n\n```yaml\n- main\n```\n\n# Test source\n\ny\n",
    );
    const result = {
      status: "failed",
      errors: [{ message: "\u001b[31mError: locator.boundingBox\u001b[39m" }],
      stdout: [{ text: "said this\n" }],
      stderr: [],
      attachments: [{ name: "error-context", contentType: "text/markdown", path }],
    };
    const spec = { title: "opens", file: "a.e2e.ts", line: 7 };
    const good = { status: "expected", results: [{ ...result, status: "passed" }] };
    const failures = playwrightFailures({
      errors: [{ message: "no tests" }],
      suites: [
        {
          title: "a.e2e.ts",
          specs: [{ ...spec, tests: [good] }],
          suites: [
            { title: "Pages", specs: [{ ...spec, tests: [{ status: "unexpected", results: [result] }] }] },
          ],
        },
      ],
    });
    expect(failures.map(({ name }) => name)).toEqual(["outside of the tests", "a.e2e.ts:7 > Pages > opens"]);
    expect(failureText(failures)).toBe(
      [
        "",
        "FAILED: outside of the tests",
        "  no tests",
        "",
        "FAILED: a.e2e.ts:7 > Pages > opens",
        "  Error: locator.boundingBox",
        "  | ```yaml",
        "  | - main",
        "  | ```",
        "  | said this",
      ].join("\n"),
    );
  });

  it("are told at a length that a person reads", () => {
    const error = Array.from({ length: 100 }, (_, line) => `line ${line}`).join("\n");
    const lines = failureText([{ name: "x", error, context: "" }]).split("\n");
    expect(lines).toHaveLength(43);
    expect(lines.at(-1)).toBe("  ... and 60 lines more");
    expect(failureText([])).toBe("");
  });
});
