import { createHash } from "node:crypto";
import type * as z from "zod/v4";
import { TERMINAL_RUN_STATUSES } from "../contract/enums.ts";
import type { Core } from "../core.ts";
import { messageOf } from "../errors.ts";
import { pauseHere } from "../execute/ready.ts";
import { describeIssue } from "../http/problem.ts";
import type { Bindable, Database } from "../store/database.ts";
import type { Tx } from "../store/writer.ts";
import { columnsOf, decodeRow, EndLine, Header, isReferredTo, RowLine, SecretLine } from "./format.ts";
import { TRANSFER_TABLES, whereEnvironment, type TransferTable } from "./tables.ts";

export interface ImportOptions {
  /** Where the export was taken is given up: runs go on here. Else they are held until somebody resumes them. */
  keepRunning: boolean;
}

export interface Imported {
  environment: string;
  rows: Record<string, number>;
  /** Runs that were not at their end and are held now. */
  heldRuns: number;
  /** Functions with a schedule that are paused now, so that two engines do not keep the same appointments. */
  pausedFunctions: string[];
  /** Secrets that have to be set again. */
  secrets: string[];
}

/**
 * Reads an export into its environment, which is made when it is missing and must be empty. All of it or nothing.
 * @throws Error that names the line and the field
 */
export async function importEnvironment(
  core: Core,
  lines: AsyncIterable<string>,
  options: ImportOptions,
): Promise<Imported> {
  const { db } = core.store;
  const tx: Tx = { nowMs: core.clock.nowMs(), apiKeyId: null, afterCommit: () => {}, onRollback: () => {} };
  db.exec("begin immediate");
  try {
    const imported = await readLines(core, tx, lines, options);
    db.exec("commit");
    return imported;
  } catch (error) {
    db.exec("rollback");
    throw error;
  }
}

async function readLines(
  core: Core,
  tx: Tx,
  lines: AsyncIterable<string>,
  options: ImportOptions,
): Promise<Imported> {
  const reader = createReader(core, tx, options);
  let number = 0;
  for await (const line of lines) {
    number += 1;
    try {
      reader.take(line);
    } catch (error) {
      throw new Error(`line ${number}: ${messageOf(error)}`, { cause: error });
    }
  }
  return reader.end(number);
}

function createReader(core: Core, tx: Tx, options: ImportOptions) {
  const { db } = core.store;
  const hash = createHash("sha256");
  const imported: Imported = { environment: "", rows: {}, heldRuns: 0, pausedFunctions: [], secrets: [] };
  let environmentId = "";
  let inserts: Map<string, (row: Record<string, unknown>) => void> | undefined;
  let ended = false;

  const takeHeader = (value: unknown): void => {
    const header = parse(Header, value);
    const schema = db.prepare<{ user_version: number }>("pragma user_version").get()?.user_version ?? 0;
    if (header.schema !== schema) {
      throw new Error(
        `schema: is ${header.schema}, this engine has ${schema}; export again with this engine`,
      );
    }
    environmentId = core.store.environments.ensure(header.environment, tx.nowMs).id;
    imported.environment = header.environment;
    for (const table of TRANSFER_TABLES) {
      imported.rows[table.name] = 0;
      if (!isEmpty(db, table, environmentId)) {
        throw new Error(`environment: ${header.environment} is not empty, it has rows in ${table.name}`);
      }
    }
    const renumbered = new Map<string, Map<Bindable, Bindable>>();
    inserts = new Map(
      TRANSFER_TABLES.map((table) => [table.name, prepareInsert(db, table, environmentId, renumbered)]),
    );
  };

  const takeRow = (value: unknown): void => {
    const { table, row } = parse(RowLine, value);
    const insert = inserts?.get(table);
    if (insert === undefined) throw new Error(`table: ${table} is not known`);
    insert(row);
    imported.rows[table] = (imported.rows[table] ?? 0) + 1;
  };

  const takeEnd = (value: unknown): void => {
    const { end, sha256 } = parse(EndLine, value);
    for (const [table, count] of Object.entries(imported.rows)) {
      if (end[table] !== count)
        throw new Error(`end.${table}: says ${String(end[table])} rows, there were ${count}`);
    }
    if (hash.digest("hex") !== sha256) throw new Error("sha256: the lines before were changed");
    ended = true;
    if (!options.keepRunning) Object.assign(imported, hold(core, tx, environmentId));
  };

  return {
    take: (line: string): void => {
      if (ended) throw new Error("nothing may follow the end");
      const value = parseLine(line);
      if (typeof value === "object" && value !== null && "end" in value) return takeEnd(value);
      hash.update(`${line}\n`);
      if (inserts === undefined) takeHeader(value);
      else if (typeof value === "object" && value !== null && "secret" in value)
        imported.secrets.push(parse(SecretLine, value).secret);
      else takeRow(value);
    },
    end: (lines: number): Imported => {
      if (!ended) throw new Error(`line ${lines + 1}: the end is missing, the export is not whole`);
      return imported;
    },
  };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error("is not JSON");
  }
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new Error(describeIssue(parsed.error));
  return parsed.data;
}

function isEmpty(db: Database, table: TransferTable, environmentId: string): boolean {
  return (
    db.prepare(`select 1 from ${table.name} where ${whereEnvironment(table)} limit 1`).get(environmentId) ===
    undefined
  );
}

/** Checks and stores one row. Counters are given anew, and what refers to one follows. */
function prepareInsert(
  db: Database,
  table: TransferTable,
  environmentId: string,
  renumbered: Map<string, Map<Bindable, Bindable>>,
): (row: Record<string, unknown>) => void {
  const columns = columnsOf(db, table);
  const stored = columns.filter(({ name }) => name !== table.counter);
  const counted = isReferredTo(table.name) ? table.counter : undefined;
  const insert = db.prepare<Record<string, Bindable>>(
    `insert into ${table.name} (${stored.map(({ name }) => name).join(", ")})
     values (${stored.map(() => "?").join(", ")})
     ${table.derived === true ? "on conflict do nothing" : ""} ${counted === undefined ? "" : `returning ${counted} as given`}`,
  );
  const { owner } = table;
  const owned =
    owner === undefined
      ? undefined
      : db.prepare(`select 1 from ${owner.table} where ${owner.id} = ? and environment_id = ?`);
  return (row) => {
    const values = decodeRow(table, columns, row);
    if (owner === undefined && values.get("environment_id") !== environmentId)
      throw new Error(`row.environment_id: must be ${environmentId}`);
    for (const [column, target] of Object.entries(table.refs ?? {})) {
      const given = renumbered.get(target)?.get(values.get(column) ?? null);
      if (given === undefined) throw new Error(`row.${column}: there is no such row in ${target}`);
      values.set(column, given);
    }
    if (owner !== undefined && owned?.get(values.get(owner.column) ?? null, environmentId) === undefined)
      throw new Error(`row.${owner.column}: there is no such row in ${owner.table}`);
    const bound = stored.map(({ name }) => values.get(name) ?? null);
    if (counted === undefined) {
      insert.run(...bound);
      return;
    }
    const known = renumbered.get(table.name) ?? new Map<Bindable, Bindable>();
    known.set(values.get(counted) ?? null, insert.get(...bound)?.["given"] ?? null);
    renumbered.set(table.name, known);
  };
}

/** What would be done twice, here and where the export was taken, is not done here until somebody says so. */
function hold(core: Core, tx: Tx, environmentId: string): Pick<Imported, "heldRuns" | "pausedFunctions"> {
  const { db } = core.store;
  const open = db
    .prepare<{ id: string }>(
      `select id from runs where environment_id = ? and status not in
         (select value from json_each(?)) and status <> 'paused'`,
    )
    .all(environmentId, JSON.stringify(TERMINAL_RUN_STATUSES));
  for (const { id } of open) {
    const run = core.store.runs.get(id);
    if (run !== undefined) pauseHere(core, tx, run);
  }
  const scheduled = db
    .prepare<{ id: string }>(
      `update functions set status = 'paused' where environment_id = ?1 and status = 'active' and id in
         (select function_id from schedules where environment_id = ?1) returning id`,
    )
    .all(environmentId);
  db.prepare("delete from debounces where environment_id = ?").run(environmentId);
  // The event itself has come along; what it starts was started, or is going to be, where it was appended.
  db.prepare("delete from outbox where environment_id = ? and due_at is not null").run(environmentId);
  return { heldRuns: open.length, pausedFunctions: scheduled.map(({ id }) => id) };
}
