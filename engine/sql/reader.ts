import { randomBytes } from "node:crypto";
import { DatabaseSync } from "@photostructure/sqlite";
import { messageOf } from "../errors.ts";
import { createReadAuthorizer, HARMLESS_TABLES } from "./authorizer.ts";
import { createProjectionViews } from "./projection-views.ts";
import { checkStatement, SqlRefusal } from "./statement.ts";
import { SQL_TABLES } from "./tables.ts";
import { valueJson, valueText, type SqlValue } from "./value.ts";

export interface ReadLimits {
  maxRows: number;
  /** Of all texts of the answer together. */
  maxBytes: number;
}

export interface ReadAnswer {
  columns: string[];
  rows: string[][];
  /** Each row as the JSON text of an array. */
  typedRows: string[];
  /** What ended the answer while the query had more rows. */
  truncatedBy?: "rows" | "bytes";
}

export interface Reader {
  /** @throws SqlRefusal */
  read(sql: string, limits: ReadLimits): ReadAnswer;
  close(): void;
}

type Raw = InstanceType<typeof DatabaseSync>;

/** The longest text, blob or row SQLite makes. */
const maxValueBytes = 16 * 1024 * 1024;

const limits = {
  length: maxValueBytes,
  sqlLength: 1_000_000,
  column: 1_000,
  exprDepth: 500,
  compoundSelect: 200,
  functionArg: 100,
  attach: 1,
  likePatternLength: 1_000,
  // Nobody can give values for parameters, and SQLite would take NULL for them.
  variableNumber: 1,
};

/** How long a read waits for the writer's checkpoint, ms. */
const busyMs = 2_000;

const outOfMemory = 7;
const tooBig = 18;
const notAuthorized = 23;

/**
 * Opens the engine's database for queries that come from outside. Three walls stand around them: the handle is read-only;
 * the store is attached under a name that nobody can guess, and what can be named are views that show one environment's
 * rows; the authorizer refuses everything but reading those.
 */
export function openReader(file: string, environmentId: string): Reader {
  const schema = `s${randomBytes(16).toString("hex")}`;
  const raw = new DatabaseSync(":memory:", {
    readOnly: true,
    defensive: true,
    timeout: busyMs,
    readBigInts: true,
    returnArrays: true,
    limits,
  });
  raw.prepare(`attach ? as ${schema}`).run(file);
  // Sorting happens in memory, which the process's watch bounds: no query writes a file.
  raw.exec("pragma trusted_schema=off; pragma temp_store=memory");
  const names = namesOf(raw, schema);
  showTables(raw, schema, environmentId, names);
  const projections = createProjectionViews(raw, schema, literal(environmentId));
  raw.exec("pragma query_only=on");
  raw.limits.variableNumber = 0;
  const views = new Set(SQL_TABLES.map(({ name }) => name));
  const tables = new Set(SQL_TABLES.flatMap(({ reads }) => reads));
  const authorize = () => {
    raw.setAuthorizer(null);
    projections.refresh();
    raw.setAuthorizer(
      createReadAuthorizer({
        schema,
        views: new Set([...views, ...projections.views]),
        tables: new Set([...tables, ...projections.tables]),
        hidden: names,
      }),
    );
  };
  return {
    read: (sql, readLimits) => {
      checkStatement(sql);
      try {
        authorize();
        return readRows(raw, sql, readLimits);
      } catch (error) {
        throw refusalOf(error, schema);
      }
    },
    close: () => raw.close(),
  };
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

const TABLE_NAMES = [...SQL_TABLES.map(({ name }) => name), "proj_…"].join(", ");

/** Every name that a query could use for a table but for the documented ones, lower case. */
function namesOf(raw: Raw, schema: string): Set<string> {
  const rows = [
    ...raw.prepare(`select name from ${schema}.sqlite_schema where type in ('table', 'view')`).all(),
    ...raw.prepare("select name from pragma_module_list").all(),
  ] as unknown as [string][];
  const own = ["sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema"];
  const all = new Set([...rows.map(([name]) => name.toLowerCase()), ...own]);
  for (const name of HARMLESS_TABLES) all.delete(name);
  return all;
}

/** Makes the views, and an empty one for every other table, so that no bare name ever means a table of the store itself. */
function showTables(raw: Raw, schema: string, environmentId: string, names: ReadonlySet<string>): void {
  const environment = literal(environmentId);
  for (const table of SQL_TABLES) {
    raw.exec(`create temp view "${table.name}" as ${table.select(schema, environment)}`);
  }
  const shown = new Set(SQL_TABLES.map(({ name }) => name));
  for (const name of names) {
    if (!shown.has(name) && !name.startsWith("sqlite_"))
      raw.exec(`create temp view "${name.replaceAll('"', '""')}" as select 1 as hidden where 0`);
  }
}

function readRows(raw: Raw, sql: string, { maxRows, maxBytes }: ReadLimits): ReadAnswer {
  const statement = raw.prepare(sql);
  const answer: ReadAnswer = {
    columns: statement.columns().map(({ name }) => name),
    rows: [],
    typedRows: [],
  };
  let bytes = 0;
  for (const row of rowsOf(statement)) {
    if (answer.rows.length === maxRows) return { ...answer, truncatedBy: "rows" };
    const texts = row.map(valueText);
    const typed = `[${row.map(valueJson).join(",")}]`;
    bytes += Buffer.byteLength(typed) + texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes > maxBytes) return { ...answer, truncatedBy: "bytes" };
    answer.rows.push(texts);
    answer.typedRows.push(typed);
  }
  return answer;
}

/** Its rows. The driver's iterator does not keep the statement and reads freed memory once that was collected; this does. */
function* rowsOf(statement: ReturnType<Raw["prepare"]>): Generator<SqlValue[]> {
  yield* statement.iterate() as Iterable<SqlValue[]>;
}

/** SQLite's own words without the store's hidden name. */
function refusalOf(error: unknown, schema: string): SqlRefusal {
  const code = error instanceof Error && "errcode" in error ? Number(error.errcode) & 0xff : undefined;
  const text = messageOf(error).replaceAll(`${schema}.`, "").replaceAll(schema, "");
  const denied = code === notAuthorized || /prohibited|not authorized/.test(text);
  const reason = denied
    ? "denied"
    : code === outOfMemory || code === tooBig
      ? "too-large"
      : code === undefined
        ? "failed"
        : "invalid";
  return new SqlRefusal(reason, denied ? `query: may only read the tables ${TABLE_NAMES} (${text})` : text, {
    cause: error,
  });
}
