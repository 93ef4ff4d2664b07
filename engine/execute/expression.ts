import { Environment } from "@marcbachmann/cel-js";
import { ApiError, messageOf } from "../errors.ts";
import { meterExpression, type Budget, type Meter } from "./expression-cost.ts";

/** An expression could not be evaluated on the event at hand, or did not answer true or false. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
}

export interface Expression {
  /** What it answers; big integers as plain numbers. Takes its steps from the budget. @throws ExpressionError */
  value(scope: Record<string, unknown>, budget: Budget): unknown;
  /** @throws ExpressionError */
  test(scope: Record<string, unknown>, budget: Budget): boolean;
}

const maxExpressionChars = 1_024;
const limits = {
  maxAstNodes: 200,
  maxDepth: 24,
  maxListElements: 64,
  maxMapEntries: 64,
  maxCallArguments: 8,
};
const environment = new Environment({ unlistedVariablesAreDyn: true, limits });

const cache = new Map<string, Expression>();
const maxCached = 512;

/**
 * Parses a CEL expression. Its cost is bounded: size and depth here, steps when it is evaluated. There is no `matches`,
 * because this engine's regular expressions cannot be bounded.
 * @throws ApiError invalid_argument that names `field`
 */
export function compileExpression(text: string, field: string): Expression {
  const known = cache.get(text);
  if (known !== undefined) return known;
  if (text.length > maxExpressionChars) {
    throw new ApiError("invalid_argument", `${field}: longer than ${maxExpressionChars} characters`);
  }
  const compiled = compile(text, field);
  if (cache.size >= maxCached) cache.clear();
  cache.set(text, compiled);
  return compiled;
}

function compile(text: string, field: string): Expression {
  let evaluate;
  let meter: Meter;
  try {
    evaluate = environment.parse(text);
    refuseMatches(evaluate.ast);
    meter = meterExpression(evaluate.ast);
  } catch (error) {
    throw new ApiError("invalid_argument", `${field}: ${firstLine(error)}`, { cause: error });
  }
  const value = (scope: Record<string, unknown>, budget: Budget): unknown => {
    try {
      const answer: unknown = meter.within(budget, () => evaluate(scope) as unknown);
      return typeof answer === "bigint" ? Number(answer) : answer;
    } catch (error) {
      throw new ExpressionError(`expression ${JSON.stringify(text)}: ${firstLine(error)}`, { cause: error });
    }
  };
  return {
    value,
    test: (scope, budget) => {
      const answer = value(scope, budget);
      if (typeof answer === "boolean") return answer;
      throw new ExpressionError(
        `expression ${JSON.stringify(text)}: answered ${typeof answer}, not true or false`,
      );
    },
  };
}

function refuseMatches(node: unknown): void {
  if (Array.isArray(node)) {
    for (const member of node) refuseMatches(member);
    return;
  }
  if (typeof node !== "object" || node === null || !("op" in node) || !("args" in node)) return;
  if (node.op === "rcall" && Array.isArray(node.args) && node.args[0] === "matches")
    throw new Error("matches is not available");
  refuseMatches(node.args);
}

/** CEL's messages go on with a picture of the source; the first line says it all. */
function firstLine(error: unknown): string {
  return messageOf(error).split("\n", 1)[0] ?? "";
}
