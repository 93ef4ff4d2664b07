import type { Core } from "../../core.ts";
import { messageOf } from "../../errors.ts";
import { isStorageTrouble, type Query } from "../../store/database.ts";
import type { EventRow } from "../../store/events.ts";
import type { ProjectionRow } from "../../store/projections.ts";
import { statementsFor } from "./tables.ts";
import { valuesOf } from "./values.ts";

interface Prepared {
  query: Query<never>;
  placeholders: readonly string[];
}

/** Runs the statements of one generation of a SQL projection. */
export interface Applier {
  /** All statements of the event's handler, or none. What went wrong, in words; undefined when nothing did. */
  apply(event: EventRow): string | undefined;
}

export function createApplier(core: Core, projection: ProjectionRow, physicalTable: string): Applier {
  const { db } = core.store;
  const statements = statementsFor(projection, physicalTable);
  const prepared = new Map<string, Prepared[]>();
  const begin = db.prepare("savepoint projected");
  const release = db.prepare("release projected");
  const back = db.prepare("rollback to projected");

  function handlerOf(eventName: string): Prepared[] {
    const known = prepared.get(eventName);
    if (known !== undefined) return known;
    const handler = statements(eventName).map(({ sql, placeholders }) => ({
      query: db.prepare(sql),
      placeholders,
    }));
    prepared.set(eventName, handler);
    return handler;
  }

  return {
    apply: (event) => {
      begin.run();
      try {
        const value = valuesOf(event);
        for (const { query, placeholders } of handlerOf(event.name)) query.run(...placeholders.map(value));
        release.run();
        return undefined;
      } catch (error) {
        // A full disk is nobody's fault: the whole change goes back and is tried again.
        if (isStorageTrouble(error)) throw error;
        back.run();
        release.run();
        return messageOf(error).replaceAll(physicalTable, projection.table_name ?? "");
      }
    },
  };
}
