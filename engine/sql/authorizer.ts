import { constants } from "@photostructure/sqlite";

/** What a connection that answers queries may look at. Names are lower case. */
export interface ReadRights {
  /** The store's name in this connection. Nobody but the views knows it. */
  schema: string;
  /** Views of `temp` that stand for the documented tables. */
  views: ReadonlySet<string>;
  /** Tables of the store that those views read. */
  tables: ReadonlySet<string>;
  /** Every other name that means something here: hidden tables, SQLite's own, virtual ones. */
  hidden: ReadonlySet<string>;
}

type Authorizer = (action: number, a: string | null, b: string | null, database: string | null) => number;

/** Table functions that read nothing but their argument. */
export const HARMLESS_TABLES: ReadonlySet<string> = new Set(["json_each", "json_tree"]);

/** Functions that reach out of the query: load code, hand out or take pointers, write the log. */
const refusedFunctions = /^(?:load_extension|fts\w*|rtree\w*|geopoly\w*|sqlite_\w+|edit|readfile|writefile)$/;

/**
 * SQLite asks it about everything a statement would do, while it compiles it. Selecting, reading the documented tables,
 * recursion and ordinary functions are allowed, and whatever is not named here is refused: writes of every kind, ATTACH,
 * PRAGMA, transactions, the schema's own tables.
 */
export function createReadAuthorizer(rights: ReadRights): Authorizer {
  const mayRead = (table: string, column: string, database: string | null): boolean => {
    if (database === rights.schema) return rights.tables.has(table);
    if (rights.views.has(table)) return database === "temp" || database === null;
    if (rights.hidden.has(table)) return false;
    if (database === "main") return HARMLESS_TABLES.has(table);
    // A subquery or a common table expression of which no column is used.
    return database === null && column === "";
  };
  return (action, a, b, database) => {
    const allowed =
      action === constants.SQLITE_SELECT ||
      action === constants.SQLITE_RECURSIVE ||
      (action === constants.SQLITE_READ && mayRead((a ?? "").toLowerCase(), b ?? "", database)) ||
      (action === constants.SQLITE_FUNCTION && !refusedFunctions.test((b ?? "").toLowerCase()));
    return allowed ? constants.SQLITE_OK : constants.SQLITE_DENY;
  };
}
