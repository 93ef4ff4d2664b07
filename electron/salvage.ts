import * as z from "zod/v4";

/**
 * What can be used of an object that does not fit its schema as a whole: every field by itself, and of lists and records
 * every item by itself. A field that is of no use takes its value from `start`, or is left out where that has none.
 * @returns `wrong`: one entry for each value that was dropped, with its path; `lost`: the fields they belong to
 */
export function salvage(
  schema: z.ZodObject,
  given: Readonly<Record<string, unknown>>,
  start: object,
): { fields: Record<string, unknown>; wrong: string[]; lost: ReadonlySet<string> } {
  const fields: Record<string, unknown> = { ...start };
  const wrong: string[] = [];
  const lost = new Set<string>();
  for (const [name, field] of Object.entries(schema.shape)) {
    const parsed = field.safeParse(given[name]);
    if (parsed.success) {
      if (parsed.data !== undefined) fields[name] = parsed.data;
      continue;
    }
    lost.add(name);
    const some = someOf(name, field, given[name], wrong);
    if (some === undefined) wrong.push(`${name}: ${reason(parsed.error)}`);
    else fields[name] = some;
  }
  return { fields, wrong, lost };
}

/** The good items of a list or a record; undefined when the field is neither. */
function someOf(name: string, field: z.core.$ZodType, value: unknown, wrong: string[]): unknown {
  const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
  const keep = (item: z.core.$ZodType, key: string | number, one: unknown): boolean => {
    const parsed = z.safeParse(item, one);
    if (!parsed.success) wrong.push(`${name}.${key}: ${reason(parsed.error)}`);
    return parsed.success;
  };
  if (inner instanceof z.ZodArray && Array.isArray(value))
    return value.filter((one, at) => keep(inner.element, at, one));
  if (inner instanceof z.ZodRecord && typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).filter(([key, one]) => keep(inner.valueType, key, one)));
  return undefined;
}

function reason(error: z.core.$ZodError): string {
  const issue = error.issues[0];
  const path = issue?.path.join(".") ?? "";
  return `${path === "" ? "" : `${path}: `}${issue?.message ?? "invalid"}`;
}
