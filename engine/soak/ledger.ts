import type { Application } from "./application.ts";
import type { Snapshot } from "./snapshot.ts";

/** What the engine has acknowledged; none of it may be missing or doubled, ever. */
export interface Ledger {
  /** An emit was answered. */
  emitted(eventId: string, runIds: readonly string[], key: string | undefined): void;
  /** The engine itself said that these steps are completed. */
  readonly completed: (stepIds: readonly string[]) => void;
  resumed(runId: string): void;
  cancelled(runId: string): void;
  /** Compares with what is on disk after a kill and remembers what is there. What is wrong, one line each. */
  compare(snapshot: Snapshot): string[];
  /** Further checks for when every run is at its end. */
  compareEnd(snapshot: Snapshot): string[];
  counts(): { events: number; steps: number; resumes: number; cancels: number };
}

interface Done {
  output: string | null;
  /** How often its function had executed it when it was first seen on disk. */
  effects: number;
}

export function createLedger(application: Application): Ledger {
  const events = new Map<string, readonly string[]>();
  const keys = new Map<string, string>();
  const acknowledged = new Set<string>();
  const done = new Map<string, Done>();
  const resumes = new Set<string>();
  const cancels = new Set<string>();
  const faults: string[] = [];

  function compare(snapshot: Snapshot): string[] {
    const found = faults.splice(0);
    if (snapshot.integrity !== "ok") found.push(`integrity_check: ${snapshot.integrity}`);
    if (snapshot.foreignKeyFaults > 0) found.push(`foreign_key_check: ${snapshot.foreignKeyFaults} rows`);
    const stored = new Map(snapshot.events.map((row) => [row.id, row]));
    const runs = new Map(snapshot.runs.map((row) => [row.id, row]));
    for (const [eventId, runIds] of events) {
      if (!stored.has(eventId)) found.push(`the acknowledged event ${eventId} is missing`);
      for (const runId of runIds)
        if (runs.get(runId)?.event_id !== eventId)
          found.push(`run ${runId} of the acknowledged event ${eventId} is missing`);
    }
    found.push(...doubled(snapshot));
    for (const runId of cancels)
      if (runs.get(runId)?.status !== "cancelled")
        found.push(`the cancelled run ${runId} is ${String(runs.get(runId)?.status)}`);
    found.push(...compareSteps(snapshot));
    return found;
  }

  function doubled(snapshot: Snapshot): string[] {
    const found: string[] = [];
    const byKey = new Map<string, string>();
    for (const { id, idempotency_key: key } of snapshot.events) {
      if (key === null) continue;
      const other = byKey.get(key) ?? keys.get(key) ?? id;
      if (other !== id) found.push(`the key ${key} has two events, ${other} and ${id}`);
      byKey.set(key, id);
    }
    const once = new Set<string>();
    for (const { id, function_id: functionId, event_id: eventId, parent_run_id: parent } of snapshot.runs) {
      const name =
        parent === null
          ? `event ${eventId} and function ${functionId}`
          : `parent ${parent} and function ${functionId}`;
      if (once.has(name)) found.push(`${name} have two runs, one of them ${id}`);
      once.add(name);
    }
    return found;
  }

  function compareSteps(snapshot: Snapshot): string[] {
    const found: string[] = [];
    const now = new Map(snapshot.completed.map((row) => [row.id, row.output]));
    for (const id of acknowledged) if (!now.has(id)) found.push(`the acknowledged step ${id} is missing`);
    for (const [id, before] of done) {
      if (now.get(id) !== before.output)
        found.push(`the completed step ${id} is missing or has another output`);
      const effects = application.effects.get(id) ?? 0;
      if (effects !== before.effects) found.push(`the completed step ${id} was executed again`);
    }
    for (const [id, output] of now)
      if (!done.has(id)) done.set(id, { output, effects: application.effects.get(id) ?? 0 });
    return found;
  }

  return {
    emitted: (eventId, runIds, key) => {
      const known = key === undefined ? undefined : keys.get(key);
      if (known !== undefined && known !== eventId)
        faults.push(`the key ${String(key)} answered ${known}, then ${eventId}`);
      if (key !== undefined) keys.set(key, eventId);
      events.set(eventId, runIds);
    },
    completed: (stepIds) => {
      for (const id of stepIds) acknowledged.add(id);
    },
    resumed: (runId) => {
      if (resumes.has(runId)) faults.push(`run ${runId} was resumed twice`);
      resumes.add(runId);
    },
    cancelled: (runId) => {
      cancels.add(runId);
    },
    compare,
    compareEnd: (snapshot) => {
      const found = compare(snapshot);
      const completed = new Set(snapshot.completed.map(({ id }) => id));
      for (const { id, function_id: functionId, status } of snapshot.runs) {
        const wanted = functionId.endsWith("-hold") ? "cancelled" : "completed";
        if (status !== wanted) found.push(`run ${id} of ${functionId} ended as ${status}, not ${wanted}`);
        if (status !== "completed") continue;
        for (const name of application.effectsOf[functionId] ?? [])
          if (!completed.has(`${id}:${name}:0`))
            found.push(`run ${id} is completed without its step ${name}`);
      }
      return found;
    },
    counts: () => ({
      events: events.size,
      steps: new Set([...done.keys(), ...acknowledged]).size,
      resumes: resumes.size,
      cancels: cancels.size,
    }),
  };
}
