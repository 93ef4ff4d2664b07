import type { Core } from "../../core.ts";
import { ApiError } from "../../errors.ts";
import { isPattern, matchesPattern } from "../../execute/pattern.ts";
import type { ProjectionRow } from "../../store/projections.ts";
import { guardStatements } from "./guard.ts";
import { handlerStatements, tableNameOf, tableStatements, type Statement } from "./statements.ts";

/** What a SQL projection is made of. */
export interface SqlDefinition {
  tableSql: string;
  /** SQL by event name or pattern. */
  handlers: Readonly<Record<string, string>>;
}

/**
 * Checks a definition and gives the name of its table.
 * @throws ApiError invalid_argument that names the part
 */
export function checkDefinition({ tableSql, handlers }: SqlDefinition): string {
  const table = tableNameOf(tableSql);
  const physical = `tbl_${table}`;
  guardStatements(
    table,
    physical,
    tableStatements(tableSql, physical),
    compileHandlers(handlers, table, physical),
  );
  return table;
}

function compileHandlers(
  handlers: Readonly<Record<string, string>>,
  table: string,
  physicalTable: string,
): Map<string, Statement[]> {
  return new Map(
    Object.entries(handlers).map(([event, sql]) => [
      event,
      handlerStatements(event, sql, table, physicalTable),
    ]),
  );
}

/** Makes an empty table for a new generation of a SQL projection, inside a change. Its name in the store. */
export function createTable(core: Core, projection: Pick<ProjectionRow, "table_sql">): string {
  const physicalTable = core.ids.next("tbl");
  for (const sql of tableStatements(projection.table_sql ?? "", physicalTable))
    core.store.db.prepare(sql).run();
  return physicalTable;
}

/** The statements that a projection runs for events of a name. @throws ApiError when it has none */
export function statementsFor(
  projection: ProjectionRow,
  physicalTable: string,
): (eventName: string) => readonly Statement[] {
  const definition = JSON.parse(projection.handlers ?? "{}") as Record<string, string>;
  const handlers = compileHandlers(definition, projection.table_name ?? "", physicalTable);
  const patterns = [...handlers.keys()].filter(isPattern);
  return (eventName) => {
    const found =
      handlers.get(eventName) ??
      handlers.get(patterns.find((pattern) => matchesPattern(pattern, eventName)) ?? "");
    if (found === undefined) {
      throw new ApiError("failed_precondition", `no handler takes events named ${eventName}`);
    }
    return found;
  };
}
