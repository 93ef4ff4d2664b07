/** One argument as a form asks for it. */
export type FormField = {
  readonly name: string;
  readonly kind: "text" | "number" | "boolean" | "choice";
  readonly required: boolean;
  readonly about: string;
  readonly options: readonly string[];
};

/** What was typed, by name; an empty text is an argument that is left out. */
export type FormValues = Readonly<Record<string, string>>;

type Schema = { [key: string]: unknown };
const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const KINDS: Readonly<Record<string, FormField["kind"]>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "boolean",
};

/**
 * The fields of an input schema, or null where a form cannot say everything that it takes: then there is JSON.
 * @param schema a tool's `inputSchema`
 */
export function fieldsOf(schema: unknown): readonly FormField[] | null {
  if (!isSchema(schema) || schema["anyOf"] !== undefined || schema["oneOf"] !== undefined) return null;
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const fields: FormField[] = [];
  for (const [name, property] of Object.entries(properties)) {
    if (!isSchema(property)) return null;
    const options = Array.isArray(property["enum"])
      ? property["enum"].filter((one) => typeof one === "string")
      : [];
    const kind = options.length > 0 ? "choice" : KINDS[String(property["type"])];
    if (kind === undefined) return null;
    const about = typeof property["description"] === "string" ? property["description"] : "";
    fields.push({ name, kind, required: required.includes(name), about, options });
  }
  return fields;
}

export type Arguments =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly problem: string };

/** The arguments that a filled form stands for. What is wrong beyond that is for the endpoint to say. */
export function argumentsOf(fields: readonly FormField[], values: FormValues): Arguments {
  const value: Record<string, unknown> = {};
  for (const { name, kind } of fields) {
    const text = values[name] ?? "";
    if (text === "") continue;
    if (kind === "number" && !Number.isFinite(Number(text)))
      return { ok: false, problem: `${name} must be a number` };
    value[name] = kind === "number" ? Number(text) : kind === "boolean" ? text === "true" : text;
  }
  return { ok: true, value };
}

/** The arguments written as JSON. */
export function argumentsOfJson(text: string): Arguments {
  try {
    const value: unknown = JSON.parse(text.trim() === "" ? "{}" : text);
    return isSchema(value)
      ? { ok: true, value }
      : { ok: false, problem: "The arguments must be a JSON object." };
  } catch (cause) {
    return {
      ok: false,
      problem: `The arguments are not JSON: ${cause instanceof Error ? cause.message : ""}`,
    };
  }
}
