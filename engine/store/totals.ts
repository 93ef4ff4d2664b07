import type { Database } from "./database.ts";

export interface Counted {
  label: string;
  n: number;
}

/** Numbers of the whole store, over all environments. Each is read from a small table or a covering index. */
export interface Totals {
  runsByStatus(): Counted[];
  events(): number;
  functions(): number;
  breakersByState(): Counted[];
  deadLettersBySource(): Counted[];
}

export function createTotals(db: Database): Totals {
  const runs = db.prepare<Counted>(
    "select status as label, sum(runs) as n from run_counts group by status order by status",
  );
  const events = db.prepare<{ n: number }>("select coalesce(sum(events), 0) as n from event_names");
  const functions = db.prepare<{ n: number }>("select count(*) as n from functions");
  const breakers = db.prepare<Counted>(
    "select state as label, count(*) as n from breakers group by state order by state",
  );
  const letters = db.prepare<Counted>(
    "select source as label, count(*) as n from dead_letters group by source order by source",
  );
  return {
    runsByStatus: () => runs.all(),
    events: () => events.get()?.n ?? 0,
    functions: () => functions.get()?.n ?? 0,
    breakersByState: () => breakers.all(),
    deadLettersBySource: () => letters.all(),
  };
}
