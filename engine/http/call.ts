import type { Core } from "../core.ts";
import type { EnvironmentRow } from "../store/environments.ts";
import type { Meters } from "./meters.ts";

/** What every handler gets besides its own input. */
export interface Call {
  /** What it writes is written on behalf of the caller's key. */
  core: Core;
  /** The environment the caller's key speaks for. */
  environment: EnvironmentRow;
  /** The run that the caller says it is part of (`X-Ironflow-Run-ID`). */
  runId: string | undefined;
  /** The `Idempotency-Key` header. */
  idempotencyKey: string | undefined;
  /** `key:` and the beginning of the key's hash, or `anonymous` (`--dev`): tells keys apart, and is no key. */
  caller: string;
  /** The same, when it is a key. */
  keyId: string | undefined;
  /** What the caller limits itself to (`X-Ironflow-Scopes`); undefined for all that its key may do. */
  scopes: readonly string[] | undefined;
  /** The caller went away before its answer. */
  gone: AbortSignal;
  /** The environment the engine was started for. */
  servedId: string;
  /** The environment is the one the engine was started for: its keys look after the others. */
  admin: boolean;
  server: ServerFacts;
}

export interface ServerFacts {
  version: string;
  startedAtMs: number;
  authRequired: boolean;
  meters: Meters;
}
