import * as z from "zod/v4";

/** One line of a child's log in the app's own terms. */
export interface ChildLine {
  readonly level: "info" | "error";
  readonly message: string;
}

/** pino's levels: 30 is info, 40 a warning, 50 an error. */
const ERROR_LEVEL = 50;

/** A line of pino's, whatever else is in it. */
const PinoLine = z.looseObject({
  level: z.number(),
  msg: z.string().optional(),
  err: z.looseObject({ message: z.string().optional(), stack: z.string().optional() }).optional(),
});

/** What every line of pino's carries and the app's log says by itself. */
const OWN_FIELDS = new Set(["level", "time", "pid", "hostname", "name", "msg", "err"]);

/**
 * Reads one line of a child's stderr: pino's JSON becomes a sentence with its fields behind it; a line that starts with the
 * child's name is why it cannot go on, as our programs say it; anything else stays what it is.
 */
export function readChildLine(line: string, name: string): ChildLine {
  const parsed = PinoLine.safeParse(jsonOf(line));
  if (!parsed.success) {
    const own = `${name}: `;
    return line.startsWith(own)
      ? { level: "error", message: line.slice(own.length) }
      : { level: "info", message: line };
  }
  const { level, msg, err, ...rest } = parsed.data;
  const fields = Object.entries(rest)
    .filter(([field]) => !OWN_FIELDS.has(field))
    .flatMap(([field, value]) => fieldText(field, value))
    .join(", ");
  const why = err?.stack ?? err?.message;
  const message = [msg, why].filter((part) => part !== undefined && part !== "").join(": ") || "(no message)";
  return {
    level: level >= ERROR_LEVEL ? "error" : "info",
    message: fields === "" ? message : `${message} (${fields})`,
  };
}

/** @returns undefined when the line is no JSON object */
function jsonOf(line: string): unknown {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // a text that starts with a brace, or half of a line
  }
}

function fieldText(name: string, value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return [`${name}: ${value.length} items`];
  if (typeof value === "object")
    return Object.entries(value).flatMap(([inner, one]) => fieldText(`${name}.${inner}`, one));
  return [`${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`];
}
