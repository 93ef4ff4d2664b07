import { ApiError } from "../../errors.ts";
import { requireSmallCost } from "./cost.ts";
import { statementsOf, type Token } from "./tokens.ts";

/** A statement as SQLite runs it: the projection's table has the name it has in the store, placeholders are numbered. */
export interface Statement {
  sql: string;
  /** What is bound, in order: `data.total`, `entity_id`. */
  placeholders: string[];
  /** How often the statement names each of them. */
  uses: number[];
}

export const MAX_SQL_CHARS = 16_384;
export const MAX_HANDLERS = 64;
const maxStatements = 16;
const maxPlaceholders = 200;

const tableName = /^proj_[a-z0-9_]+$/;
const maxTableNameChars = 45;

/** What an event can be asked for besides `data.…` and `metadata.…`. */
const ownPlaceholders: ReadonlySet<string> = new Set([
  "data",
  "metadata",
  "id",
  "event_id",
  "name",
  "event_name",
  "entity_id",
  "entity_type",
  "entity_version",
  "timestamp",
  "timestamp_ms",
  "source",
  "version",
  "seq",
]);

/**
 * Words that have no place in a projection: reading makes a statement's cost a matter of what is read, ROLLBACK would take
 * back what is not the projection's, and a reference would hold rows of others.
 */
const refusedWords: ReadonlySet<string> = new Set([
  "select",
  "with",
  "rollback",
  "references",
  "foreign",
  "trigger",
  "view",
  "virtual",
  "temp",
  "temporary",
  "returning",
  "attach",
  "detach",
  "pragma",
]);

/** The name of the table that DDL makes. @throws ApiError invalid_argument */
export function tableNameOf(tableSql: string): string {
  const [first = []] = statementsOf(tableSql);
  let at = 0;
  const word = (...words: string[]) => {
    const found = words.every((wanted, index) => {
      const token = first[at + index];
      return token?.kind === "word" && token.value === wanted;
    });
    if (found) at += words.length;
    return found;
  };
  if (!word("create", "table")) throw refused("table_sql", "must begin with CREATE TABLE");
  word("if", "not", "exists");
  const token = first[at];
  const name = token?.kind === "word" ? token.text : token?.kind === "name" ? token.value : "";
  if (!tableName.test(name) || name.length > maxTableNameChars) {
    throw refused(
      "table_sql",
      `the table's name must be proj_ and lower-case letters, digits and _, ${maxTableNameChars} characters at most`,
    );
  }
  return name;
}

/**
 * The statements that make the table, and its indexes, under another name.
 * @throws ApiError invalid_argument
 */
export function tableStatements(tableSql: string, physicalTable: string): string[] {
  const table = tableNameOf(tableSql);
  const computed = statementsOf(tableSql).flat();
  // One that names another twice is computed twice for each naming: a chain of them takes for ever.
  if (computed.some(({ kind, value }) => kind === "word" && value === "as")) {
    throw refused("table_sql", "AS is not available here: no generated columns, no table of a query");
  }
  return rewriteAll(tableSql, table, physicalTable, "table_sql").map(({ sql, placeholders }, index) => {
    if (placeholders.length > 0) throw refused("table_sql", "placeholders belong into event_handlers");
    if (index > 0 && !/^create (unique )?index /i.test(sql)) {
      throw refused("table_sql", "only CREATE INDEX may follow the table");
    }
    return sql;
  });
}

/** The statements of one event's handler. @throws ApiError invalid_argument that names the event */
export function handlerStatements(
  event: string,
  sql: string,
  table: string,
  physicalTable: string,
): Statement[] {
  const field = `event_handlers.${event}`;
  const statements = rewriteAll(sql, table, physicalTable, field);
  for (const statement of statements) {
    if (!/^(insert|update|delete|replace) /i.test(statement.sql)) {
      throw refused(field, "must be INSERT, UPDATE or DELETE");
    }
  }
  return statements;
}

function rewriteAll(sql: string, table: string, physicalTable: string, field: string): Statement[] {
  if (sql.length > MAX_SQL_CHARS) throw refused(field, `longer than ${MAX_SQL_CHARS} characters`);
  const statements = statementsOf(sql);
  if (statements.length === 0) throw refused(field, "is empty");
  if (statements.length > maxStatements) throw refused(field, `more than ${maxStatements} statements`);
  requireSmallCost(statements.flat(), field);
  return statements.map((tokens, index) => rewrite(tokens, { table, physicalTable, field, index }));
}

function rewrite(
  tokens: readonly Token[],
  {
    table,
    physicalTable,
    field,
    index,
  }: { table: string; physicalTable: string; field: string; index: number },
): Statement {
  const placeholders: string[] = [];
  const uses: number[] = [];
  const indexName = indexNameAt(tokens);
  const parts = tokens.map((token, at) => {
    switch (token.kind) {
      case "parameter":
        throw refused(field, `${token.text}: placeholders are :entity_id, :data.path and so on`);
      case "placeholder": {
        const number = numberOf(placeholders, token.value, field);
        uses[number - 1] = (uses[number - 1] ?? 0) + 1;
        return `?${number}`;
      }
      case "word":
      case "name": {
        if (token.kind === "word" && refusedWords.has(token.value)) {
          throw refused(field, `${token.text.toUpperCase()} is not available here`);
        }
        // SQLite does not ask the authorizer about what is computed there.
        if (token.kind === "word" && token.value === "default" && !isPlainDefault(tokens[at + 1])) {
          throw refused(field, "DEFAULT takes a number, a text or NULL");
        }
        if (at === indexName) return `"${physicalTable}_${index}"`;
        const isTable = token.value.toLowerCase() === table;
        return isTable && tokens[at - 1]?.text !== "." ? `"${physicalTable}"` : token.text;
      }
      case "text":
      case "other":
        return token.text;
    }
  });
  const sql = parts.map((part, at) => (at === 0 || tokens[at]?.glued === true ? part : ` ${part}`)).join("");
  return { sql, placeholders, uses };
}

/** What may follow DEFAULT: a value as it is, or the VALUES of an INSERT. */
function isPlainDefault(next: Token | undefined): boolean {
  if (next?.kind === "word") return ["null", "true", "false", "x", "values"].includes(next.value);
  return next?.kind === "text" || (next?.kind === "other" && /^[0-9.+-]/.test(next.text));
}

/** Where the name of an index stands in CREATE INDEX; -1 in any other statement. */
function indexNameAt(tokens: readonly Token[]): number {
  const words = tokens.map((token) => (token.kind === "word" ? token.value : ""));
  let at = 0;
  if (words[at++] !== "create") return -1;
  if (words[at] === "unique") at += 1;
  if (words[at++] !== "index") return -1;
  if (words[at] === "if") at += 3;
  return at;
}

function numberOf(placeholders: string[], name: string, field: string): number {
  const root = name.split(".")[0] ?? "";
  const known = name === root ? ownPlaceholders.has(root) : root === "data" || root === "metadata";
  if (!known)
    throw refused(field, `:${name} is no placeholder; they are :data.path, :metadata.path, ${listed()}`);
  const at = placeholders.indexOf(name);
  if (at >= 0) return at + 1;
  if (placeholders.length >= maxPlaceholders)
    throw refused(field, `more than ${maxPlaceholders} placeholders`);
  return placeholders.push(name);
}

const listed = () => [...ownPlaceholders].map((name) => `:${name}`).join(", ");

const refused = (field: string, reason: string) => new ApiError("invalid_argument", `${field}: ${reason}`);
