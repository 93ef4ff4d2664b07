import type { Database } from "./database.ts";

/** A run that an event of a certain name will wake or cancel. */
export interface ListenerRow {
  id: number;
  environment_id: string;
  event_name: string;
  kind: "wait" | "cancel";
  /** `any`: every event of the name. `path`: the event's value at `expression` must have `match_key`. `cel`: evaluated. */
  grammar: "any" | "path" | "cel";
  expression: string;
  match_key: string | null;
  run_id: string;
  step_id: string | null;
}

export interface ListenerTable {
  get(id: number): ListenerRow | undefined;
  add(listener: Omit<ListenerRow, "id">): void;
  /** Listeners to this event name that take every event or evaluate an expression. */
  unkeyed(environmentId: string, eventName: string): ListenerRow[];
  /** The paths that listeners to this event name compare. */
  paths(environmentId: string, eventName: string): string[];
  /** Listeners that compare this path and hold this key. */
  keyed(environmentId: string, eventName: string, path: string, matchKey: string): ListenerRow[];
  /** Listeners to this event name, whatever they compare, oldest first. */
  byName(environmentId: string, eventName: string, limit: number): ListenerRow[];
  countByName(environmentId: string, eventName: string): number;
  delete(id: number): void;
  deleteByRun(runId: string): void;
  /** Removes a run's waits and keeps its cancel listeners. */
  deleteWaits(runId: string): void;
}

export function createListenerTable(db: Database): ListenerTable {
  const get = db.prepare<ListenerRow>("select * from listeners where id = ?");
  const add = db.prepare(
    `insert into listeners (environment_id, event_name, kind, grammar, expression, match_key, run_id, step_id)
     values (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const unkeyed = db.prepare<ListenerRow>(
    "select * from listeners where environment_id = ? and event_name = ? and grammar in ('any', 'cel') order by id",
  );
  const nextPath = db.prepare<{ expression: string }>(
    `select expression from listeners where environment_id = ? and event_name = ? and grammar = 'path' and expression > ?
     order by expression limit 1`,
  );
  const keyed = db.prepare<ListenerRow>(
    `select * from listeners where environment_id = ? and event_name = ? and grammar = 'path' and expression = ?
     and match_key = ? order by id`,
  );
  const byName = db.prepare<ListenerRow>(
    "select * from listeners where environment_id = ? and event_name = ? order by id limit ?",
  );
  const countByName = db.prepare<{ n: number }>(
    "select count(*) as n from listeners where environment_id = ? and event_name = ?",
  );
  const remove = db.prepare("delete from listeners where id = ?");
  const removeByRun = db.prepare("delete from listeners where run_id = ?");
  const removeWaits = db.prepare("delete from listeners where run_id = ? and kind = 'wait'");
  return {
    get: (id) => get.get(id),
    add: (l) => {
      add.run(
        l.environment_id,
        l.event_name,
        l.kind,
        l.grammar,
        l.expression,
        l.match_key,
        l.run_id,
        l.step_id,
      );
    },
    unkeyed: (environmentId, eventName) => unkeyed.all(environmentId, eventName),
    paths: (environmentId, eventName) => {
      // One index seek per distinct path, however many runs wait.
      const paths: string[] = [];
      for (let path: string | undefined = ""; ; paths.push(path)) {
        path = nextPath.get(environmentId, eventName, path)?.expression;
        if (path === undefined) return paths;
      }
    },
    keyed: (environmentId, eventName, path, matchKey) => keyed.all(environmentId, eventName, path, matchKey),
    byName: (environmentId, eventName, limit) => byName.all(environmentId, eventName, limit),
    countByName: (environmentId, eventName) => countByName.get(environmentId, eventName)?.n ?? 0,
    delete: (id) => {
      remove.run(id);
    },
    deleteByRun: (runId) => {
      removeByRun.run(runId);
    },
    deleteWaits: (runId) => {
      removeWaits.run(runId);
    },
  };
}
