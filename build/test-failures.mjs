// Reads which tests failed, and why, from the reports of the two test runners, so that a run can say it once more at its end.
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import * as z from "zod/v4";
import { ROOT } from "./paths.mjs";

/** @typedef {{ name: string, error: string, context: string }} Failure */

/** The lines of one error, and of what stood around it, that are told. */
const LINES = 40;
/** Lines of the source before and after the one that failed. */
const AROUND = 10;

const VitestReport = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(""),
      assertionResults: z.array(
        z.object({
          ancestorTitles: z.array(z.string()),
          title: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

/**
 * @param {unknown} report of vitest's json reporter
 * @returns {Failure[]}
 */
export function vitestFailures(report) {
  return VitestReport.parse(report).testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(ROOT, name);
    const failed = assertionResults.filter((test) => test.status === "failed");
    // A file that could not be read at all, or whose hooks failed, has no test that did.
    if (failed.length === 0) return status === "failed" ? [{ name: file, error: message, context: "" }] : [];
    return failed.map(({ ancestorTitles, title, failureMessages }) => {
      const error = withoutForeignFrames((failureMessages ?? []).join("\n"));
      return { name: [file, ...ancestorTitles, title].join(" > "), error, context: sourceOf(error, name) };
    });
  });
}

/** @param {string} text a stack */
const withoutForeignFrames = (text) =>
  text
    .split("\n")
    .filter((line) => !/^ +at .*(node_modules|<anonymous>|node:)/.test(line))
    .join("\n");

/**
 * The source around the last place in the test's own file that a stack names.
 * @param {string} stack
 * @param {string} file
 */
function sourceOf(stack, file) {
  const place = stack.split("\n").find((line) => line.includes(`${file}:`));
  const at = Number(place?.split(`${file}:`)[1]?.split(":")[0]);
  if (!Number.isInteger(at) || !existsSync(file)) return "";
  const first = Math.max(1, at - AROUND);
  return readFileSync(file, "utf8")
    .split("\n")
    .slice(first - 1, at + AROUND)
    .map((text, index) => `${first + index === at ? ">" : " "} ${first + index} | ${text}`)
    .join("\n");
}

const Output = z.array(z.object({ text: z.string().optional() })).default([]);
const Spec = z.object({
  title: z.string(),
  file: z.string(),
  line: z.int(),
  tests: z.array(
    z.object({
      status: z.string(),
      results: z.array(
        z.object({
          status: z.string().optional(),
          errors: z.array(z.object({ message: z.string().default("") })).default([]),
          stdout: Output,
          stderr: Output,
          attachments: z.array(z.object({ name: z.string(), path: z.string().optional() })).default([]),
        }),
      ),
    }),
  ),
});
const Suite = z.object({
  title: z.string(),
  specs: z.array(Spec).default([]),
  get suites() {
    return z.array(Suite).default([]);
  },
});
const PlaywrightReport = z.object({
  suites: z.array(Suite).default([]),
  errors: z.array(z.object({ message: z.string().default("") })).default([]),
});

/**
 * @param {unknown} report of Playwright's json reporter
 * @returns {Failure[]}
 */
export function playwrightFailures(report) {
  const { suites, errors } = PlaywrightReport.parse(report);
  const outside = errors.map(({ message }) => ({
    name: "outside of the tests",
    error: message,
    context: "",
  }));
  return [...outside, ...suites.flatMap((suite) => suiteFailures(suite, []))];
}

/**
 * @param {z.infer<typeof Suite>} suite
 * @param {string[]} above titles of the suites around it
 * @returns {Failure[]}
 */
function suiteFailures({ title, specs, suites }, above) {
  const titles = [...above, title];
  const failed = specs.flatMap((spec) =>
    spec.tests
      .filter(({ status }) => status === "unexpected" || status === "flaky")
      .flatMap(({ results }) => results.filter(({ status }) => status !== "passed"))
      .map(({ errors, stdout, stderr, attachments }) => ({
        name: [`${titles[0]}:${spec.line}`, ...titles.slice(1), spec.title].join(" > "),
        error: errors.map(({ message }) => message).join("\n"),
        context: [
          pageOf(attachments.find(({ name }) => name === "error-context")?.path),
          lastLines([...stdout, ...stderr].map(({ text = "" }) => text).join("")),
        ]
          .filter(Boolean)
          .join("\n"),
      })),
  );
  return [...failed, ...suites.flatMap((inner) => suiteFailures(inner, titles))];
}

/**
 * What the page showed, as Playwright kept it.
 * @param {string | undefined} path
 */
function pageOf(path) {
  if (path === undefined || !existsSync(path)) return "";
  return /^# Page snapshot\n+([^]*?)(?=^# |$(?![^]))/m.exec(readFileSync(path, "utf8"))?.[1]?.trim() ?? "";
}

/** @param {string} text */
const lastLines = (text) => text.trimEnd().split("\n").slice(-LINES).join("\n");

/**
 * @param {string} text
 * @param {string} indent
 */
function firstLines(text, indent) {
  const lines = text.trim() === "" ? [] : text.trimEnd().split("\n");
  const told = lines.slice(0, LINES).map((line) => `${indent}${line}`);
  return lines.length > LINES ? [...told, `${indent}... and ${lines.length - LINES} lines more`] : told;
}

/**
 * The failures in words, for the end of a run.
 * @param {Failure[]} failures
 */
export function failureText(failures) {
  return stripVTControlCharacters(
    failures
      .flatMap(({ name, error, context }) => [
        "",
        `FAILED: ${name}`,
        ...firstLines(error, "  "),
        ...firstLines(context, "  | "),
      ])
      .join("\n"),
  );
}
