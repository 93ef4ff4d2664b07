/**
 * What an evaluation may cost, counted in steps and not in time: the same expression on the same event always has the same
 * answer, however busy the machine is. A step is a node of the expression that is evaluated, a value that an operator or
 * a function walks over, or `CHARS_PER_STEP` characters of a text.
 */
export const MAX_EXPRESSION_STEPS = 1_000_000;

/** What all expressions that look at one event may cost together: there may be as many as runs that wait. */
export const MAX_EVENT_STEPS = 4_000_000;

const CHARS_PER_STEP = 16;

/** Reading a duration takes time with the cube of its length; no sensible one is longer. */
const maxDurationChars = 64;

/** Converting a time to a time zone formats and parses it, steps. */
const timeZoneSteps = 2_000;

/** Steps that expressions may still take; what one takes is missing for the next. */
export interface Budget {
  left: number;
}

/** A node as the CEL parser makes it; only what is read here. */
interface Node {
  op: string;
  args: unknown;
}

type Evaluate = (this: unknown, evaluator: unknown, node: unknown, context: unknown) => unknown;

const exhausted = new Error("it takes too many steps on this event");

/** Operators and functions that walk over what they are given. */
const walkingOperators = new Set(["==", "!=", "in", "+", "<", "<=", ">", ">="]);
/** Functions that may compare every character of one text with every character of the other. */
const searches = new Set(["contains", "indexOf", "lastIndexOf", "split"]);
/** Macros whose body is evaluated once for each element, and with what value of the body they stop at once. */
const macros = new Map<string, boolean | undefined>([
  ["all", false],
  ["exists", true],
  ["exists_one", undefined],
  ["filter", undefined],
  ["map", undefined],
]);

/** Counts what evaluations of one expression cost. */
export interface Meter {
  /** Runs one evaluation. @throws Error once it took more steps than `MAX_EXPRESSION_STEPS` or than the budget has left */
  within<T>(budget: Budget, evaluate: () => T): T;
}

/** Makes every node of a parsed expression count its steps. Evaluations are synchronous and not nested. */
export function meterExpression(root: unknown): Meter {
  let left = 0;

  function charge(steps: number): void {
    left -= steps;
    if (left < 0) throw exhausted;
  }

  /** What is to happen around the evaluation of each node, innermost first. */
  const around = new Map<Node, ((evaluate: () => unknown) => unknown)[]>();

  function wrap(node: Node, one: (evaluate: () => unknown) => unknown): void {
    const known = around.get(node);
    if (known === undefined) around.set(node, [one]);
    else known.push(one);
  }

  /** What is walked over is paid for before it is. */
  const chargeOperand = (value: unknown) => charge(sizeOf(value, left));

  function meter(node: Node): void {
    const children = childrenOf(node);
    for (const child of children) meter(child);
    const makes = node.op === "call" || node.op === "rcall" || node.op === "+";
    wrap(node, (evaluate) => {
      charge(1);
      const value = evaluate();
      if (makes) charge(shallowSizeOf(value));
      return value;
    });
    const name = nameOf(node);
    if (node.op === "rcall" && macros.has(name)) meterMacro(children, macros.get(name));
    else if (node.op === "call" || node.op === "rcall") meterCall(name, children);
    else if (walkingOperators.has(node.op)) for (const child of children) watch(child, chargeOperand);
  }

  function watch(node: Node, seen: (value: unknown) => void): void {
    wrap(node, (evaluate) => {
      const value = evaluate();
      seen(value);
      return value;
    });
  }

  function meterCall(name: string, operands: Node[]): void {
    let searched = 0;
    for (const [index, operand] of operands.entries()) {
      watch(operand, (value) => {
        chargeOperand(value);
        if (name === "duration" && typeof value === "string" && value.length > maxDurationChars) {
          throw new Error("the text is too long for a duration");
        }
        if (name.startsWith("get") && index > 0) charge(timeZoneSteps);
        if (!searches.has(name) || typeof value !== "string") return;
        // The library evaluates the last argument first and the receiver last.
        if (index > 0) searched = value.length;
        else charge(Math.ceil((value.length / CHARS_PER_STEP) * searched));
      });
    }
  }

  /** The elements are paid for before the first is looked at, and once nothing is left the rest is not looked at. */
  function meterMacro([list, ...rest]: Node[], stopsWith: boolean | undefined): void {
    if (list !== undefined) watch(list, (value) => charge(shallowSizeOf(value)));
    const body = rest.at(-1);
    if (body === undefined || stopsWith === undefined) return;
    wrap(body, (evaluate) => {
      try {
        return evaluate();
      } catch (error) {
        if (left < 0) return stopsWith; // `within` throws in the end
        throw error;
      }
    });
  }

  meter(root as Node);
  for (const [node, layers] of around) replaceEvaluation(node, layers);
  return {
    within: (budget, evaluate) => {
      const before = Math.min(MAX_EXPRESSION_STEPS, budget.left);
      left = before;
      try {
        const value = evaluate();
        if (left < 0) throw exhausted;
        return value;
      } finally {
        budget.left -= before - Math.max(0, left);
      }
    },
  };
}

/** Also where the library exchanges a node's evaluation itself, at the first one. */
function replaceEvaluation(node: Node, layers: ((evaluate: () => unknown) => unknown)[]): void {
  let own = (node as Node & { evaluate: Evaluate }).evaluate;
  const metered: Evaluate = (evaluator, self, context) => {
    let evaluate = () => own.call(node, evaluator, self, context);
    for (const layer of layers) {
      const inner = evaluate;
      evaluate = () => layer(inner);
    }
    return evaluate();
  };
  Object.defineProperty(node, "evaluate", {
    get: () => metered,
    set: (replaced: Evaluate) => {
      own = replaced;
    },
  });
}

function nameOf(node: Node): string {
  return (node.op === "call" || node.op === "rcall") && Array.isArray(node.args) ? String(node.args[0]) : "";
}

/** The nodes below a node, in the order in which they are written. */
function childrenOf(node: Node): Node[] {
  const found: Node[] = [];
  const look = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(look);
    else if (typeof value === "object" && value !== null && "op" in value && "args" in value)
      found.push(value as Node);
  };
  look(node.args);
  return found;
}

/** How many values are in a value, itself included; counting stops once there are more than `most`. */
function sizeOf(value: unknown, most: number): number {
  if (typeof value !== "object" || value === null) return shallowSizeOf(value);
  if (value instanceof Uint8Array) return shallowSizeOf(value);
  let size = 1;
  for (const member of Object.values(value)) {
    size += sizeOf(member, most - size);
    if (size > most) break;
  }
  return size;
}

function shallowSizeOf(value: unknown): number {
  if (typeof value === "string" || value instanceof Uint8Array)
    return 1 + Math.floor(value.length / CHARS_PER_STEP);
  if (Array.isArray(value)) return 1 + value.length;
  return typeof value === "object" && value !== null ? 1 + Object.keys(value).length : 1;
}
