import { article, clip, refusedArguments } from "../contract/argument-error.ts";
import type { ToolError } from "../contract/errors.ts";
import type { ArgumentProblem } from "./schema.ts";

/** Arguments that do not fit an application's tool, in the words of our own tools: `arguments.line: value must be one of …`. */
export const applicationArgumentError = (tool: string, problems: readonly ArgumentProblem[]): ToolError =>
  refusedArguments(tool, [...new Set(problems.map(describe))]);

function describe({ instancePath, keyword, params, message }: ArgumentProblem): string {
  const at = pathText(instancePath);
  const given = params as Readonly<Record<string, unknown>>;
  switch (keyword) {
    case "required":
      return `${at}.${clip(String(given["missingProperty"]))}: is required`;
    case "additionalProperties":
    case "unevaluatedProperties":
      return `${at}.${clip(String(given["additionalProperty"] ?? given["unevaluatedProperty"]))}: is not an argument here`;
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

const list = (values: unknown): string =>
  (Array.isArray(values) ? values : []).map((value) => JSON.stringify(value)).join(", ");
