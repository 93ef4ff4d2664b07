import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeIssue } from "../http/problem.ts";
import { findRoute } from "../http/rest/routes.ts";
import { createEngineFactory, type EngineFactory } from "../testing/engine-process.ts";
import { ROW_DEADLINE_MS, runRow } from "./row.ts";
import { allRows } from "./rows/rows.ts";
import { createTarget, type Target, type TargetOptions } from "./target.ts";

/** Rows of the contract that the embedded engine does not serve yet. A row that it begins to serve has to leave the list. */
const notOfferedHere = new Set<string>();

/** Answers that are not what `openapi.json` says of their route. */
const undescribed: string[] = [];
let described = 0;

const checkAnswer: NonNullable<TargetOptions["onAnswer"]> = (method, path, answer) => {
  const found = findRoute(method, path.split("?")[0] ?? "");
  if (typeof found !== "object" || answer.status !== 200 || found.route.docs.answer === undefined) return;
  const checked = found.route.docs.answer.safeParse(answer.json);
  described += 1;
  if (!checked.success) undescribed.push(`${method} ${path}: ${describeIssue(checked.error)}`);
};

let factory: EngineFactory;
let target: Target;

beforeAll(async () => {
  factory = await createEngineFactory();
  const signingKey = "a signing key";
  const engine = await factory.start({ flags: [], env: { IRONFLOW_SIGNING_KEY: signingKey } });
  target = await createTarget({ url: engine.url, apiKey: engine.key, signingKey, onAnswer: checkAnswer });
});

afterAll(async () => {
  await target.close();
  await factory.close();
});

it("has one row for each id", () => {
  expect(new Set(allRows.map(({ id }) => id)).size).toBe(allRows.length);
});

describe.concurrent("the embedded engine keeps the contract", () => {
  it.each(allRows.map((row) => [row.id, row.title, row] as const))(
    "%s: %s",
    async (id, _title, row) => {
      const wanted = notOfferedHere.has(id) ? { kind: "not offered" } : { kind: "pass" };
      expect(await runRow(row, target)).toMatchObject(wanted);
    },
    ROW_DEADLINE_MS + 5_000,
  );
});

it("answers on every REST route what its openapi.json says", () => {
  expect(undescribed).toEqual([]);
  expect(described).toBeGreaterThan(100);
});
