import type { Clock } from "../loopback/clock.ts";
import { startEngine, ENGINE_PORT } from "./children/engine.ts";
import type { ProcessRecords } from "./children/process-records.ts";
import { startToolServer } from "./children/tool-server.ts";
import type { Flags } from "./flags.ts";
import {
  openEngineLink,
  type EngineLink,
  type EngineLinkOptions,
  type EngineSource,
} from "./hub/engine-link.ts";
import { writesKey } from "./handlers/writes.ts";
import type { Writes } from "./settings.ts";
import type { Profile, Programs } from "./profile.ts";

export interface ConnectionParts {
  readonly flags: Flags;
  /** Key of a remote engine, from the environment. */
  readonly apiKey: string | undefined;
  readonly profile: Profile;
  readonly programs: Programs;
  /** Identifier of this life of the app. */
  readonly session: string;
  readonly appVersion: string;
  readonly records: ProcessRecords;
  readonly bridge: EngineLinkOptions["bridge"];
  /** What the person decided before, see `writesKey`. */
  readonly writes: Readonly<Record<string, Writes>>;
  readonly clock: Clock;
  readonly events: Pick<EngineLinkOptions, "onConnection" | "onTools" | "onChanged">;
}

export const EMBEDDED = "local";
export const REMOTE = "remote";

/**
 * Opens the connection that this launch asks for: the embedded engine, or the one of `--server-url`. The person may write
 * to the embedded engine; everything else is read-only until the person allows it, or `--allow-writes` for this launch.
 */
export function openConnection(parts: ConnectionParts): EngineLink {
  const { flags } = parts;
  const embedded = flags.serverUrl === undefined;
  const kept =
    parts.writes[writesKey({ kind: embedded ? "embedded" : "remote", url: flags.serverUrl ?? "" })];
  return openEngineLink({
    id: embedded ? EMBEDDED : REMOTE,
    name: embedded ? "Embedded engine" : new URL(flags.serverUrl ?? "").host,
    source: engineSource(parts),
    switches: launchSwitches(flags, kept),
    startTools: (target, signal) =>
      startToolServer(
        {
          entry: parts.programs.toolServer,
          session: parts.session,
          cwd: parts.profile.folder,
          appVersion: parts.appVersion,
          records: parts.records,
          target,
        },
        signal,
      ),
    bridge: parts.bridge,
    clock: parts.clock,
    now: () => new Date(),
    ...parts.events,
  });
}

/**
 * The switches a connection starts with. The flags widen them for this launch; without them the person's earlier decision
 * counts; without one, the embedded engine is writable by the person and read-only for agents, any other is read-only.
 */
export function launchSwitches(
  flags: Pick<Flags, "serverUrl" | "allowWrites" | "terminals">,
  kept: Writes | undefined,
): EngineLinkOptions["switches"] {
  const embedded = flags.serverUrl === undefined;
  return {
    personMayWrite: flags.allowWrites || (kept?.person ?? embedded),
    agentsMayWrite: flags.allowWrites || (kept?.agents ?? false),
    // A tool server that serves terminals serves writes too, so a remote engine gets them only when it was asked for.
    terminals: embedded || flags.terminals,
  };
}

function engineSource(parts: ConnectionParts): EngineSource {
  const { flags, profile, programs } = parts;
  if (flags.serverUrl !== undefined) return { kind: "remote", url: flags.serverUrl, apiKey: parts.apiKey };
  let lastPort: number | undefined;
  return {
    kind: "embedded",
    async start(signal) {
      // The port it had before comes first: applications that found it there find it again.
      const ports = [...new Set([lastPort ?? ENGINE_PORT, ENGINE_PORT, 0])];
      const running = await startEngine(
        {
          entry: programs.engine,
          session: parts.session,
          records: parts.records,
          dataDir: profile.engine,
          ports,
        },
        signal,
      );
      lastPort = Number(new URL(running.value.url).port);
      return running;
    },
  };
}
