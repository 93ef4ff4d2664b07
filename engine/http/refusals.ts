import type { Core } from "../core.ts";
import { auditAuth } from "../execute/auth-events.ts";

/** Somebody who was not let in, or not let do what they wanted. */
export interface RefusedCaller {
  /** The environment of their key; the served one without a key. */
  environmentId: string;
  /** Of the key they came with, when it is one. */
  apiKeyId: string | undefined;
  path: string;
  reason: string;
}

/** Tells the audit of refused callers. */
export interface RefusalNotes {
  /** Never throws, and waits for nothing. */
  note(refused: RefusedCaller): void;
}

/** Of one caller a row is written this often at most, ms: whoever knocks without end fills no disk. */
const noteEveryMs = 60_000;
/** Callers that are told apart; what is over is forgotten and noted anew. */
const maxCallers = 1_000;
const pathMaxChars = 200;

export function createRefusalNotes(core: Core, servedId: string): RefusalNotes {
  const last = new Map<string, { atMs: number; more: number }>();
  return {
    note: ({ environmentId, apiKeyId, path, reason }) => {
      const nowMs = core.clock.elapsedMs();
      const caller = apiKeyId ?? "";
      const known = last.get(caller);
      if (known !== undefined && nowMs - known.atMs < noteEveryMs) {
        known.more += 1;
        return;
      }
      if (last.size >= maxCallers) last.clear();
      last.set(caller, { atMs: nowMs, more: 0 });
      const payload = {
        path: path.slice(0, pathMaxChars),
        reason,
        ...(apiKeyId === undefined ? {} : { api_key_id: apiKeyId }),
        /** Refusals since the one that was noted before, this one included. */
        count: (known?.more ?? 0) + 1,
      };
      const eventType = apiKeyId === undefined ? "auth.failed" : "auth.denied";
      core.writer
        .write((tx) => auditAuth(core, tx, { environmentId, servedId, eventType, payload }), apiKeyId)
        .catch((error: unknown) => core.log.error({ err: error }, "a refusal could not be noted"));
    },
  };
}
