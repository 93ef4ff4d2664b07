import { constants, DatabaseSync } from "@photostructure/sqlite";
import { ApiError, messageOf } from "../../errors.ts";
import { MAX_VALUE_BYTES } from "./size.ts";
import type { Statement } from "./statements.ts";

/**
 * What a projection's statements may compute with. No function that makes more out of a text than was put in (hex, quote,
 * replace, printf, zeroblob); none whose time is the product of two lengths (like, glob, instr, json_patch); none that
 * answers something else the next time (random, and every function of dates, for which the text 'now' may come out of an
 * event): a rebuild has to come to the same table. What is left makes at most the sum of its arguments.
 */
const functions: ReadonlySet<string> = new Set([
  "abs",
  "coalesce",
  "concat",
  "floor",
  "ceil",
  "ceiling",
  "ifnull",
  "iif",
  "if",
  "json",
  "json_array",
  "json_array_length",
  "json_extract",
  "json_insert",
  "json_object",
  "json_remove",
  "json_replace",
  "json_set",
  "json_type",
  "json_valid",
  "->",
  "->>",
  "length",
  "lower",
  "ltrim",
  "max",
  "min",
  "mod",
  "nullif",
  "octet_length",
  "round",
  "rtrim",
  "sign",
  "substr",
  "substring",
  "trim",
  "trunc",
  "typeof",
  "unicode",
  "upper",
]);

/** SQLite asks about everything a statement would do while it compiles it; what is not named here is refused. */
function mayDo(physicalTable: string, making: boolean) {
  const own = (name: string | null) => (name ?? "").toLowerCase() === physicalTable;
  return (action: number, a: string | null, b: string | null): number => {
    const allowed =
      (action === constants.SQLITE_FUNCTION && functions.has((b ?? "").toLowerCase())) ||
      (action === constants.SQLITE_READ && (own(a) || (making && a === "sqlite_master"))) ||
      (!making &&
        own(a) &&
        (action === constants.SQLITE_INSERT ||
          action === constants.SQLITE_UPDATE ||
          action === constants.SQLITE_DELETE)) ||
      (making &&
        ((action === constants.SQLITE_CREATE_TABLE && own(a)) ||
          (action === constants.SQLITE_CREATE_INDEX && own(b)) ||
          action === constants.SQLITE_REINDEX ||
          (action === constants.SQLITE_INSERT && a === "sqlite_master") ||
          (action === constants.SQLITE_UPDATE && a === "sqlite_master")));
    return allowed ? constants.SQLITE_OK : constants.SQLITE_DENY;
  };
}

const limits = {
  length: MAX_VALUE_BYTES,
  sqlLength: 64_000,
  column: 100,
  exprDepth: 100,
  functionArg: 20,
  variableNumber: 250,
};

/**
 * Tries a projection's statements in a database in memory that holds nothing but its table: no other table can even be
 * named, and the authorizer refuses everything but rows of this one. What passes is run on the store as the same text.
 * @throws ApiError invalid_argument that names the statement
 */
export function guardStatements(
  table: string,
  physicalTable: string,
  tableSql: readonly string[],
  handlers: ReadonlyMap<string, readonly Statement[]>,
): void {
  const db = new DatabaseSync(":memory:", { defensive: true, limits });
  const attempt = (field: string, work: () => void) => {
    try {
      work();
    } catch (error) {
      const text = messageOf(error).replaceAll(physicalTable, table);
      throw new ApiError("invalid_argument", `${field}: ${text}`, { cause: error });
    }
  };
  try {
    attempt("table_sql", () => {
      db.setAuthorizer(mayDo(physicalTable, true));
      for (const sql of tableSql) db.prepare(sql).run();
    });
    db.setAuthorizer(mayDo(physicalTable, false));
    for (const [event, statements] of handlers)
      attempt(`event_handlers.${event}`, () => {
        for (const { sql } of statements) db.prepare(sql);
      });
  } finally {
    db.close();
  }
}
