import type { ToolError } from "../contract/errors.ts";
import type { ArgumentProblem } from "./schema.ts";

/** Problems beyond this many say nothing new to whoever has to mend the call. */
const MAX_PROBLEMS = 8;
const MAX_NAME_CHARS = 64;

/** Arguments that do not fit an application's tool, in the words of our own tools: `arguments.line: value must be one of …`. */
export function applicationArgumentError(tool: string, problems: readonly ArgumentProblem[]): ToolError {
  const texts = [...new Set(problems.map(describe))];
  const shown = texts.slice(0, MAX_PROBLEMS);
  const more = texts.length - shown.length;
  return {
    error: shown.join("; ") + (more > 0 ? `; and ${more} more` : ""),
    code: "invalid_argument",
    retryable: false,
    hint: `Nothing was done. Mend the arguments of ${tool} and call it again.`,
  };
}

function describe({ instancePath, keyword, params, message }: ArgumentProblem): string {
  const at = pathText(instancePath);
  const given = params as Readonly<Record<string, unknown>>;
  switch (keyword) {
    case "required":
      return `${at}.${clip(given["missingProperty"])}: is required`;
    case "additionalProperties":
    case "unevaluatedProperties":
      return `${at}.${clip(given["additionalProperty"] ?? given["unevaluatedProperty"])}: is not an argument here`;
    case "enum":
      return `${at}: value must be one of ${list(given["allowedValues"])}`;
    case "const":
      return `${at}: value must be one of ${list([given["allowedValue"]])}`;
    case "type":
      return `${at}: must be ${article(String(given["type"]))}`;
    default:
      return `${at}: ${message ?? "does not fit the tool's schema"}`;
  }
}

/** `/a/0/b` -> `arguments.a[0].b` */
function pathText(pointer: string): string {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((text, part) => (/^\d+$/.test(part) ? `${text}[${part}]` : `${text}.${clip(part)}`), "arguments");
}

function clip(name: unknown): string {
  const text = String(name);
  return text.length > MAX_NAME_CHARS ? `${text.slice(0, MAX_NAME_CHARS)}…` : text;
}

const list = (values: unknown): string =>
  (Array.isArray(values) ? values : []).map((value) => JSON.stringify(value)).join(", ");

const article = (types: string): string => (/^[aeiou]/.test(types) ? `an ${types}` : `a ${types}`);
