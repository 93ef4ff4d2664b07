// Small changes to a source that a good test notices: another operator, another literal, a condition that always holds,
// a statement that is gone.
import { parseAst } from "rolldown/parseAst";

/**
 * @typedef {object} Mutant
 * @property {number} start offset of what is replaced
 * @property {number} end
 * @property {number} line of `start`, from 1
 * @property {string} was
 * @property {string} now
 */

/** @type {Record<string, string[]>} */
const OPERATORS = {
  "===": ["!=="],
  "!==": ["==="],
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "&&": ["||"],
  "||": ["&&"],
  "??": ["&&"],
};
/** @type {Record<string, string>} */
const METHODS = {
  some: "every",
  every: "some",
  startsWith: "endsWith",
  endsWith: "startsWith",
  filter: "map",
  min: "max",
  max: "min",
};
/** Methods that may be left out: `a.trim()` becomes `a`. */
const DROPPED = new Set(["trim", "toLowerCase", "toUpperCase", "sort", "reverse", "slice"]);

/**
 * All mutants of a TypeScript source, in order.
 * @param {string} source
 * @param {string} file for messages of the parser
 * @returns {Mutant[]}
 */
export function mutantsOf(source, file) {
  /** @type {Mutant[]} */
  const found = [];
  /** @param {number} start @param {number} end @param {string} now */
  const replace = (start, end, now) => {
    const was = source.slice(start, end);
    if (was !== now) found.push({ start, end, line: source.slice(0, start).split("\n").length, was, now });
  };
  visit(parseAst(source, { lang: "ts" }, file), (node) => mutate(node, source, replace));
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

/** @param {string} source @param {Mutant} mutant */
export const apply = (source, { start, end, now }) => source.slice(0, start) + now + source.slice(end);

/** Types and imports mean nothing at run time; what a thrown text says is for people. */
const SKIPPED = /^(TS(?!AsExpression|NonNullExpression|SatisfiesExpression)|Import)/;

/**
 * @param {any} node
 * @param {(node: any) => void} each
 */
function visit(node, each) {
  if (typeof node?.type !== "string" || SKIPPED.test(node.type)) return;
  each(node);
  for (const [key, child] of Object.entries(node)) {
    if (
      key === "typeAnnotation" ||
      key === "typeArguments" ||
      key === "typeParameters" ||
      key === "returnType"
    )
      continue;
    if (Array.isArray(child)) for (const one of child) visit(one, each);
    else if (typeof child === "object" && child !== null) visit(child, each);
  }
}

/**
 * @param {any} node
 * @param {string} source
 * @param {(start: number, end: number, now: string) => void} replace
 */
function mutate(node, source, replace) {
  const { type, start, end } = node;
  const text = (/** @type {any} */ part) => source.slice(part.start, part.end);
  if (type === "BinaryExpression" || type === "LogicalExpression") {
    const between = source.slice(node.left.end, node.right.start);
    const at = node.left.end + between.indexOf(node.operator);
    for (const now of OPERATORS[node.operator] ?? []) replace(at, at + node.operator.length, now);
  }
  if (type === "UnaryExpression" && node.operator === "!") replace(start, end, text(node.argument));
  if (type === "IfStatement" || type === "ConditionalExpression" || type === "WhileStatement")
    for (const now of type === "WhileStatement" ? ["false"] : ["true", "false"])
      replace(node.test.start, node.test.end, now);
  if (type === "ForStatement" && node.update !== null) replace(node.test.start, node.test.end, "false");
  if (type === "Literal") mutateLiteral(node, source, replace);
  if (type === "ExpressionStatement" && node.directive === undefined) replace(start, end, ";");
  if (type === "ReturnStatement" && node.argument !== null)
    replace(node.argument.start, node.argument.end, "undefined");
  if (type === "ArrowFunctionExpression" && node.body.type !== "BlockStatement")
    replace(node.body.start, node.body.end, "(undefined as never)");
  if (type === "ThrowStatement") replace(start, end, ";");
  if (type === "BreakStatement" || type === "ContinueStatement") replace(start, end, ";");
  if (type === "CallExpression" && node.callee.type === "MemberExpression" && !node.callee.computed) {
    const { property, object } = node.callee;
    const other = METHODS[property.name];
    if (other !== undefined) replace(property.start, property.end, other);
    if (DROPPED.has(property.name)) replace(start, end, text(object));
  }
  if (type === "UpdateExpression") replace(start, end, text(node.argument));
}

/**
 * @param {any} node
 * @param {string} source
 * @param {(start: number, end: number, now: string) => void} replace
 */
function mutateLiteral(node, source, replace) {
  const { start, end, value } = node;
  if (node.regex !== undefined) {
    replace(start, end, "/(?:)/");
    replace(start, end, "/[]/");
  } else if (typeof value === "boolean") replace(start, end, String(!value));
  else if (typeof value === "number") replace(start, end, String(value + 1));
  else if (typeof value === "string") replace(start, end, value === "" ? '"mutant"' : '""');
  else if (source.slice(start, end) === "null") replace(start, end, "undefined");
}
