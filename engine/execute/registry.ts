import type { FunctionStatus } from "../contract/enums.ts";
import type { Trigger } from "../contract/functions.ts";
import { ApiError } from "../errors.ts";
import { readJson, toJsonText } from "../json/json-text.ts";
import type { FunctionRow } from "../store/functions.ts";
import type { Store } from "../store/store.ts";
import type { Tx } from "../store/writer.ts";
import type { FunctionConfig } from "./function-config.ts";
import { isPattern, matchesPattern } from "./pattern.ts";

export interface RegisteredFunction {
  row: FunctionRow;
  config: FunctionConfig;
}

/** The functions, in memory as in the store. */
export interface Registry {
  get(environmentId: string, id: string): RegisteredFunction | undefined;
  /** In order of id. */
  list(environmentId: string): RegisteredFunction[];
  /** Active functions with a trigger for this event name, in order of id. */
  triggeredBy(environmentId: string, eventName: string): RegisteredFunction[];
  /** The triggers of a function that this event name fires. */
  triggersOf(fn: RegisteredFunction, eventName: string): Trigger[];
  /** The same configuration again changes nothing; another one makes a new version. An archived function is active again. */
  register(
    tx: Tx,
    environmentId: string,
    id: string,
    config: FunctionConfig,
    changeReason: string,
  ): { function: RegisteredFunction; created: boolean; changed: boolean };
  /** Forgets a function. @throws ApiError not_found, failed_precondition while it has runs that are not at their end */
  delete(tx: Tx, environmentId: string, id: string): RegisteredFunction;
  /** @throws ApiError not_found */
  setStatus(tx: Tx, environmentId: string, id: string, status: FunctionStatus): RegisteredFunction;
}

/** Functions of one environment with an index by trigger. */
class Shelf {
  readonly functions = new Map<string, RegisteredFunction>();
  private exact: Map<string, RegisteredFunction[]> | undefined;
  private patterns: { pattern: string; fn: RegisteredFunction }[] = [];

  set(id: string, fn: RegisteredFunction | undefined): void {
    if (fn === undefined) this.functions.delete(id);
    else this.functions.set(id, fn);
    this.exact = undefined;
  }

  sorted(): RegisteredFunction[] {
    return [...this.functions.values()].sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
  }

  triggeredBy(eventName: string): RegisteredFunction[] {
    const exact = this.exact ?? this.index();
    const found = new Set(exact.get(eventName));
    const before = found.size;
    for (const { pattern, fn } of this.patterns) if (matchesPattern(pattern, eventName)) found.add(fn);
    const list = [...found];
    return found.size === before ? list : list.sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
  }

  private index(): Map<string, RegisteredFunction[]> {
    const exact = new Map<string, RegisteredFunction[]>();
    this.patterns = [];
    for (const fn of this.sorted()) {
      if (fn.row.status !== "active") continue;
      for (const { event } of fn.config.triggers ?? []) {
        if (event === undefined) continue;
        if (isPattern(event)) this.patterns.push({ pattern: event, fn });
        else exact.set(event, [...(exact.get(event) ?? []), fn]);
      }
    }
    this.exact = exact;
    return exact;
  }
}

export function createRegistry(store: Store): Registry {
  const shelves = new Map<string, Shelf>();
  const shelf = (environmentId: string): Shelf => {
    let found = shelves.get(environmentId);
    if (found === undefined) shelves.set(environmentId, (found = new Shelf()));
    return found;
  };
  const parse = (row: FunctionRow): RegisteredFunction => ({
    row,
    // Written by `register` below, after the request was parsed at the door.
    config: readJson(row.config) as FunctionConfig,
  });
  for (const row of store.functions.all()) shelf(row.environment_id).set(row.id, parse(row));

  function keep(tx: Tx, fn: RegisteredFunction): void {
    const { environment_id: environmentId, id } = fn.row;
    const before = shelf(environmentId).functions.get(id);
    shelf(environmentId).set(id, fn);
    tx.onRollback(() => shelf(environmentId).set(id, before));
  }

  return {
    get: (environmentId, id) => shelf(environmentId).functions.get(id),
    list: (environmentId) => shelf(environmentId).sorted(),
    triggeredBy: (environmentId, eventName) => shelf(environmentId).triggeredBy(eventName),
    triggersOf: (fn, eventName) =>
      (fn.config.triggers ?? []).filter(
        ({ event }) => event !== undefined && matchesPattern(event, eventName),
      ),
    register: (tx, environmentId, id, config, changeReason) => {
      const known = shelf(environmentId).functions.get(id);
      const { text } = toJsonText(config);
      const status = known === undefined || known.row.status === "archived" ? "active" : known.row.status;
      if (known !== undefined && known.row.config === text && known.row.status === status) {
        return { function: known, created: false, changed: false };
      }
      const sameConfig = known?.row.config === text;
      const row: FunctionRow = {
        environment_id: environmentId,
        id,
        version:
          (known?.row.version ?? store.functions.lastVersion(environmentId, id)) + (sameConfig ? 0 : 1),
        status,
        config: text,
        created_at: known?.row.created_at ?? tx.nowMs,
        updated_at: tx.nowMs,
      };
      if (sameConfig) store.functions.setStatus(environmentId, id, status, tx.nowMs);
      else store.functions.put(row, changeReason);
      const fn = parse(row);
      keep(tx, fn);
      return { function: fn, created: known === undefined, changed: true };
    },
    delete: (tx, environmentId, id) => {
      const known = shelf(environmentId).functions.get(id);
      if (known === undefined) throw new ApiError("not_found", `function ${id} not found`);
      const open = store.runs.countOpen(environmentId, id);
      if (open > 0) {
        throw new ApiError(
          "failed_precondition",
          `function ${id} has ${open} runs that are not at their end`,
        );
      }
      store.functions.delete(environmentId, id);
      store.debounces.deleteByFunction(environmentId, id);
      shelf(environmentId).set(id, undefined);
      tx.onRollback(() => shelf(environmentId).set(id, known));
      return known;
    },
    setStatus: (tx, environmentId, id, status) => {
      const known = shelf(environmentId).functions.get(id);
      if (known === undefined) throw new ApiError("not_found", `function ${id} not found`);
      if (known.row.status === status) return known;
      store.functions.setStatus(environmentId, id, status, tx.nowMs);
      const fn = { ...known, row: { ...known.row, status, updated_at: tx.nowMs } };
      keep(tx, fn);
      return fn;
    },
  };
}
