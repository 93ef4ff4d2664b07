import * as z from "zod/v4";
import { ENDED_STATUSES, type TerminalSession } from "../bridge/contract/api.ts";
import { TERMINAL_MARKER } from "../loopback/environment.ts";
import { carriesEntry, isOfTerminal, listProcesses } from "../loopback/processes.ts";
import { TerminalRecord } from "./contract/terminals.ts";
import { logError } from "./log.ts";
import { openProfileFile } from "./profile-file.ts";

/** The oldest goes when there are more. */
const MAX_RECORDS = 2_000;
/** A change reaches the disk at once, those that come this soon after a write together, in ms. */
const WRITE_GAP_MS = 500;

const HistoryFile = z.object({ version: z.literal(1), records: z.array(TerminalRecord).max(MAX_RECORDS) });

export interface TerminalHistory {
  /** What the bridge tells of its sessions now. */
  follow(sessions: readonly TerminalSession[]): void;
  /** The newest first. */
  list(): TerminalRecord[];
  /** Writes what is not on disk yet. */
  close(): void;
}

/**
 * Every process that an agent ever started here, and the proof of its end. What an earlier start left open is looked for
 * once, by its marker.
 * @param carrying ids of terminals of which a process lives now
 * @param onChanged what is listed is not what it was
 */
export function openTerminalHistory(
  path: string,
  now: () => Date,
  carrying: (ids: readonly string[]) => Promise<ReadonlySet<string>> = livingTerminals,
  onChanged: () => void = () => {},
): TerminalHistory {
  const file = openProfileFile<z.infer<typeof HistoryFile>>(path, {
    schema: HistoryFile,
    start: { version: 1, records: [] },
    lost: {
      all: "what agents' terminals started before is not told",
      some: "some of what agents' terminals started before is not told",
    },
    now: now(),
  });
  if (file.problem !== undefined) logError("terminal history", file.problem);
  const records = new Map(file.value.records.map((record) => [record.session_id, record]));
  let timer: NodeJS.Timeout | undefined;
  let writtenMs = -WRITE_GAP_MS;

  const write = () => {
    clearTimeout(timer);
    timer = undefined;
    writtenMs = performance.now();
    // A command may hold anything, so it does not outlive the app.
    const kept = [...records.values()].slice(-MAX_RECORDS).map(withoutCommand);
    try {
      file.save({ version: 1, records: kept });
    } catch (cause) {
      logError("terminal history", "could not be written", cause);
    }
  };
  const writeSoon = () => {
    timer ??= setTimeout(write, Math.max(0, writtenMs + WRITE_GAP_MS - performance.now()));
  };
  const changedNow = () => {
    writeSoon();
    onChanged();
  };
  const open = [...records.values()].filter((record) => record.gone_at === null);
  if (open.length > 0) void closeOpen(); // never rejects

  async function closeOpen(): Promise<void> {
    try {
      const alive = await carrying(open.map((record) => record.session_id));
      const at = now().toISOString();
      for (const record of open)
        if (!alive.has(record.session_id))
          records.set(record.session_id, { ...record, gone_at: at, proof: "not_there_at_start" });
      changedNow();
    } catch (cause) {
      logError("terminal history", "what an earlier start left could not be looked for", cause);
    }
  }

  return {
    follow(sessions) {
      let changed = false;
      for (const session of sessions) {
        const before = records.get(session.session_id);
        const next = recordOf(session);
        if (before !== undefined && same(before, next)) continue;
        records.set(session.session_id, next);
        changed = true;
      }
      for (const id of records.keys()) {
        if (records.size <= MAX_RECORDS) break;
        records.delete(id);
      }
      if (changed) changedNow();
    },
    list: () => [...records.values()].toReversed(),
    close: write,
  };
}

function withoutCommand(record: TerminalRecord): TerminalRecord {
  const { command: _, command_chars: __, ...kept } = record;
  return kept;
}

function recordOf(session: TerminalSession): TerminalRecord {
  const { session_id, agent, command, shell, cwd, started_at, ended_at, status, exit_code, signal } = session;
  const common = { session_id, agent, command, shell, cwd, started_at, ended_at, status, exit_code, signal };
  const never = status === "failed_to_start";
  const goneAt = session.gone_at ?? (never ? ended_at : null);
  const proof = never ? "never_started" : session.ended_by_app === true ? "ended_by_app" : "reaped";
  return {
    ...common,
    ...(session.command_chars !== undefined && { command_chars: session.command_chars }),
    pid: session.pid ?? null,
    left_behind: session.left_behind,
    gone_at: goneAt,
    proof: goneAt === null ? null : proof,
  };
}

function same(a: TerminalRecord, b: TerminalRecord): boolean {
  return (
    a.status === b.status &&
    a.gone_at === b.gone_at &&
    a.left_behind === b.left_behind &&
    a.pid === b.pid &&
    ENDED_STATUSES.includes(a.status) === ENDED_STATUSES.includes(b.status)
  );
}

async function livingTerminals(ids: readonly string[]): Promise<ReadonlySet<string>> {
  const marked = (await listProcesses()).filter((row) => !row.zombie && isOfTerminal(row.pid));
  return new Set(ids.filter((id) => marked.some((row) => carriesEntry(row.pid, `${TERMINAL_MARKER}=${id}`))));
}
