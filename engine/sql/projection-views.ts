import type { DatabaseSync } from "@photostructure/sqlite";

type Raw = InstanceType<typeof DatabaseSync>;

/** The tables of SQL projections, which come, go and change places while queries are answered. */
export interface ProjectionViews {
  /** Names that queries use: `proj_orders`. */
  views: Set<string>;
  /** The tables of the store that stand behind them. */
  tables: Set<string>;
  /** Makes the views fit what the store says now. No authorizer may be in the way. */
  refresh(): void;
}

/** @param environment the environment's id as a literal */
export function createProjectionViews(raw: Raw, schema: string, environment: string): ProjectionViews {
  const views = new Set<string>();
  const tables = new Set<string>();
  let shown = "[]";
  const list = raw.prepare(
    `select table_name, physical_table from ${schema}.projections
     where environment_id = ${environment} and type = 'sql' order by table_name`,
  );
  return {
    views,
    tables,
    refresh: () => {
      const rows = list.all() as unknown as [string, string][];
      const now = JSON.stringify(rows);
      if (now === shown) return;
      raw.exec("pragma query_only=off");
      for (const view of views) raw.exec(`drop view temp."${view}"`);
      views.clear();
      tables.clear();
      shown = "[]";
      for (const [view, table] of rows) {
        raw.exec(`create temp view "${view}" as select * from ${schema}."${table}"`);
        views.add(view);
        tables.add(table);
      }
      raw.exec("pragma query_only=on");
      shown = now;
    },
  };
}
