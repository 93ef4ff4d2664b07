import { Environment } from "@marcbachmann/cel-js";
import { ApiError, messageOf } from "../errors.ts";

/** An expression could not be evaluated on the event at hand, or did not answer true or false. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
}

export interface Expression {
  /** What it answers; big integers as plain numbers. @throws ExpressionError */
  value(scope: Record<string, unknown>): unknown;
  /** @throws ExpressionError */
  test(scope: Record<string, unknown>): boolean;
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

/** Macros that walk a list: inside one another their cost multiplies, so they may not be nested. */
const walking = new Set(["all", "exists", "exists_one", "filter", "map"]);

const cache = new Map<string, Expression>();
const maxCached = 512;

/**
 * Parses a CEL expression. Its cost is bounded: size, depth, no nested list macros, and no `matches`, because this
 * engine's regular expressions cannot be bounded.
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
  try {
    evaluate = environment.parse(text);
    refuseUnbounded(evaluate.ast, false);
  } catch (error) {
    throw new ApiError("invalid_argument", `${field}: ${firstLine(error)}`, { cause: error });
  }
  const value = (scope: Record<string, unknown>): unknown => {
    try {
      const answer: unknown = evaluate(scope);
      return typeof answer === "bigint" ? Number(answer) : answer;
    } catch (error) {
      throw new ExpressionError(`expression ${JSON.stringify(text)}: ${firstLine(error)}`, { cause: error });
    }
  };
  return {
    value,
    test: (scope) => {
      const answer = value(scope);
      if (typeof answer === "boolean") return answer;
      throw new ExpressionError(
        `expression ${JSON.stringify(text)}: answered ${typeof answer}, not true or false`,
      );
    },
  };
}

function refuseUnbounded(node: unknown, insideMacro: boolean): void {
  if (Array.isArray(node)) {
    for (const member of node) refuseUnbounded(member, insideMacro);
    return;
  }
  if (typeof node !== "object" || node === null || !("op" in node) || !("args" in node)) return;
  const name = node.op === "rcall" && Array.isArray(node.args) ? String(node.args[0]) : "";
  if (name === "matches") throw new Error("matches is not available");
  const walks = walking.has(name);
  if (walks && insideMacro) throw new Error(`${name} inside another list macro is not available`);
  refuseUnbounded(node.args, insideMacro || walks);
}

/** CEL's messages go on with a picture of the source; the first line says it all. */
function firstLine(error: unknown): string {
  return messageOf(error).split("\n", 1)[0] ?? "";
}
