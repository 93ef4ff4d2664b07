import { closeSync, fchmodSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import type { Claim } from "./ownership.ts";
import type { ProcessId } from "./processes.ts";

/*
 * What the reaper is told, line by line, and what it leaves in its file. Parsed by hand and strictly: the reaper is a process
 * that waits for most of its life, and a schema library would be nearly all of it.
 */

export interface ReaperConfig {
  /** Value of IRONBRIDGE_SESSION of everything that belongs to this life of the app. */
  session: string;
  /** Absolute path of the file that holds the records until everything has ended, mode 0600. */
  file: string;
  /** Who holds the other end of the pipe. Never ended by us. */
  owner: ProcessId;
}

export type ReaperRequest =
  | { n: number; config: ReaperConfig }
  | { n: number; add: ProcessId }
  | { n: number; remove: number };

export type ReaperReply =
  /** `held` answers `add`: false when there was no such process any more. */
  | { n: number; ok: true; held?: boolean }
  | { n: number; ok: false; why: string }
  /** The last line. */
  | { ended: number[]; survivors: number[] };

export interface RecordFile {
  version: 1;
  session: string;
  owner: ProcessId;
  /** The start of the machine that these records belong to; "" where the system does not tell. */
  boot: string;
  processes: Claim[];
}

/** Longest line that either side reads, in characters. */
export const MAX_LINE_CHARS = 64 * 1024;
export const MAX_RECORDS = 4_096;

/** @throws Error that names the field that is wrong */
export function parseRequest(line: string): ReaperRequest {
  const fields = object(parseJson(line), "request");
  const n = integer(fields["n"], "n");
  if ("config" in fields) {
    only(fields, ["n", "config"]);
    const config = object(fields["config"], "config");
    only(config, ["session", "file", "owner"]);
    return {
      n,
      config: {
        session: sessionName(config["session"]),
        file: text(config["file"], "config.file"),
        owner: processId(object(config["owner"], "config.owner"), "config.owner"),
      },
    };
  }
  if ("add" in fields) {
    only(fields, ["n", "add"]);
    const added = object(fields["add"], "add");
    only(added, ["pid", "startTime"]);
    return { n, add: processId(added, "add") };
  }
  only(fields, ["n", "remove"]);
  return { n, remove: pid(fields["remove"], "remove") };
}

/** The number of a request that is otherwise wrong, so that its sender learns of it; 0 when there is none. */
export function requestNumber(line: string): number {
  try {
    return integer(object(parseJson(line), "request")["n"], "n");
  } catch {
    return 0;
  }
}

/** @throws Error that names the field that is wrong */
export function parseReply(line: string): ReaperReply {
  const fields = object(parseJson(line), "reply");
  if ("ended" in fields) {
    const pids = (name: string) => list(fields[name], name).map((entry) => pid(entry, name));
    return { ended: pids("ended"), survivors: pids("survivors") };
  }
  const n = integer(fields["n"], "n");
  if (fields["ok"] === true)
    return { n, ok: true, ...(fields["held"] === undefined ? {} : { held: fields["held"] === true }) };
  return { n, ok: false, why: text(fields["why"], "why") };
}

/** @throws Error that names the field that is wrong */
export function parseRecordFile(content: string): RecordFile {
  const fields = object(parseJson(content), "file");
  if (fields["version"] !== 1) throw new Error("version is not 1");
  const claims = list(fields["processes"], "processes");
  if (claims.length > MAX_RECORDS) throw new Error(`processes has more than ${MAX_RECORDS} entries`);
  const owner = processId(object(fields["owner"], "owner"), "owner");
  const boot = text(fields["boot"], "boot", true);
  return { version: 1, session: sessionName(fields["session"]), owner, boot, processes: claims.map(claimOf) };
}

/**
 * Replaces the file in one step; readable by its owner only. It is not forced to the disk: a machine that loses power loses
 * the processes as well.
 */
export function writeRecordFile(file: string, records: RecordFile): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const descriptor = openSync(temporary, "w", 0o600);
    try {
      fchmodSync(descriptor, 0o600);
      writeSync(descriptor, JSON.stringify(records));
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function claimOf(value: unknown): Claim {
  const fields = object(value, "processes[]");
  const { knownAt } = fields;
  const id = processId(fields, "processes[]");
  return knownAt === undefined ? id : { ...id, knownAt: integer(knownAt, "processes[].knownAt") };
}

function processId(fields: Record<string, unknown>, name: string): ProcessId {
  return {
    pid: pid(fields["pid"], `${name}.pid`),
    startTime: text(fields["startTime"], `${name}.startTime`),
  };
}

function sessionName(value: unknown): string {
  const session = text(value, "session");
  if (!/^[A-Za-z0-9-]{8,64}$/.test(session))
    throw new Error("session is not 8 to 64 letters, digits and hyphens");
  return session;
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source) as unknown;
  } catch {
    throw new Error("not JSON");
  }
}

function object(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`${name} is not an object`);
  return value as Record<string, unknown>;
}

function only(fields: Record<string, unknown>, known: readonly string[]): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`unknown field ${unknown}`);
}

function list(value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`${name} is not a list`);
  return value as unknown[];
}

function integer(value: unknown, name: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0)
    throw new Error(`${name} is not a whole number`);
  return value;
}

function pid(value: unknown, name: string): number {
  const number = integer(value, name);
  if (number < 2) throw new Error(`${name} is not a process`);
  return number;
}

function text(value: unknown, name: string, mayBeEmpty = false): string {
  if (typeof value !== "string" || (value === "" && !mayBeEmpty) || value.length > 4_096)
    throw new Error(`${name} is not a text of 1 to 4096 characters`);
  return value;
}
