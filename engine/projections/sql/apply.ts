import type { Core } from "../../core.ts";
import { messageOf } from "../../errors.ts";
import { isStorageTrouble, type Query } from "../../store/database.ts";
import type { EventRow } from "../../store/events.ts";
import type { ProjectionRow } from "../../store/projections.ts";
import { MAX_VALUE_BYTES, requireSmallEvent, requireSmallValues } from "./size.ts";
import { checkDefinition, statementsFor } from "./tables.ts";
import { valuesOf } from "./values.ts";

interface Prepared {
  query: Query<never>;
  placeholders: readonly string[];
  uses: readonly number[];
}

/** What an event's statements met took the whole transaction back, and all that others had written in it. */
export class TransactionLostError extends Error {
  readonly eventId: string;
  constructor(eventId: string, message: string, cause: unknown) {
    super(message, { cause });
    this.eventId = eventId;
  }
}

/** Runs the statements of one generation of a SQL projection. */
export interface Applier {
  /**
   * All statements of the event's handler, or none. What went wrong, in words; undefined when nothing did.
   * @throws TransactionLostError
   */
  apply(event: EventRow): string | undefined;
}

export function createApplier(core: Core, projection: ProjectionRow, physicalTable: string): Applier {
  const { db } = core.store;
  let statements: ReturnType<typeof statementsFor> | undefined;
  const prepared = new Map<string, Prepared[]>();
  const begin = db.prepare("savepoint projected");
  const release = db.prepare("release projected");
  const back = db.prepare("rollback to projected");

  function handlerOf(eventName: string): Prepared[] {
    const known = prepared.get(eventName);
    if (known !== undefined) return known;
    statements ??= checkedStatements();
    const handler = statements(eventName).map(({ sql, ...bound }) => ({ query: db.prepare(sql), ...bound }));
    prepared.set(eventName, handler);
    return handler;
  }

  /** What was registered under other rules than today's is not run. */
  function checkedStatements(): ReturnType<typeof statementsFor> {
    checkDefinition({
      tableSql: projection.table_sql ?? "",
      handlers: JSON.parse(projection.handlers ?? "{}") as Record<string, string>,
    });
    return statementsFor(projection, physicalTable);
  }

  function run(event: EventRow): void {
    const value = valuesOf(event);
    for (const { query, placeholders, uses } of handlerOf(event.name)) {
      // One that asks for none of it is a way past an event that is too large.
      if (placeholders.some((name) => /^(meta)?data\b/.test(name))) requireSmallEvent(event);
      const values = placeholders.map(value);
      requireSmallValues(values, uses);
      query.run(...values);
    }
  }

  return {
    apply: (event) => {
      begin.run();
      try {
        db.limiting(MAX_VALUE_BYTES, () => run(event));
        release.run();
        return undefined;
      } catch (error) {
        // A full disk is nobody's fault: the whole change goes back and is tried again.
        if (isStorageTrouble(error)) throw error;
        const problem = messageOf(error).replaceAll(physicalTable, projection.table_name ?? "");
        try {
          back.run();
          release.run();
        } catch {
          // SQLite has taken everything back by itself (out of memory, for one): there is no savepoint any more.
          throw new TransactionLostError(event.id, problem, error);
        }
        return problem;
      }
    },
  };
}
