import type { Clock } from "../loopback/clock.ts";
import { startEngine, ENGINE_PORT } from "./children/engine.ts";
import type { ProcessRecords } from "./children/process-records.ts";
import type { KeyStore } from "./engines/key-store.ts";
import { startToolServer, type ToolServerOptions, type ToolServerTarget } from "./children/tool-server.ts";
import type { LiveTopic } from "../mcp/contract/live.ts";
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
  readonly profile: Profile;
  readonly programs: Programs;
  /** Identifier of this life of the app. */
  readonly session: string;
  readonly appVersion: string;
  readonly records: ProcessRecords;
  readonly keyStore: KeyStore;
  readonly bridge: EngineLinkOptions["bridge"];
  /** What the person decided before, see `writesKey`. */
  readonly writes: () => Readonly<Record<string, Writes>>;
  readonly clock: Clock;
  readonly onConnection: () => void;
  readonly onTools: () => void;
  readonly onChanged: (connection: string, topic: LiveTopic) => void;
}

/** An engine that a connection can be opened to. Without an address it is our own. */
export interface EngineToOpen {
  readonly id: string;
  readonly name: string;
  readonly url: string | undefined;
  readonly apiKey: string | undefined;
  /** What flags of this launch allow on it, for this launch. */
  readonly widened: Widened;
}
export type Widened = Pick<Flags, "allowWrites" | "terminals">;

export const EMBEDDED: Omit<EngineToOpen, "widened"> = {
  id: "local",
  name: "Embedded engine",
  url: undefined,
  apiKey: undefined,
};

/** The id of the engine that a flag of this launch names and the person did not add. */
export const NAMED_BY_FLAG = "remote";

/**
 * Opens a connection. The person may write to the embedded engine; everything else is read-only until the person allows
 * it, or `--allow-writes` for this launch.
 */
export function openConnection(parts: ConnectionParts, engine: EngineToOpen): EngineLink {
  const { id, name, url, widened } = engine;
  return openEngineLink({
    id,
    name,
    source: engineSource(parts, engine),
    switches: switchesOf(parts.writes(), { url, widened }),
    startTools: (target, signal) => startToolServer(toolServerOf(parts, target), signal),
    bridge: parts.bridge,
    clock: parts.clock,
    now: () => new Date(),
    onConnection: parts.onConnection,
    onTools: parts.onTools,
    onChanged: (topic) => parts.onChanged(id, topic),
  });
}

/** How a tool server is started, for a connection and for a test of one. */
export const toolServerOf = (
  parts: Pick<ConnectionParts, "programs" | "session" | "profile" | "appVersion" | "records">,
  target: ToolServerTarget,
): ToolServerOptions => ({
  entry: parts.programs.toolServer,
  session: parts.session,
  cwd: parts.profile.folder,
  appVersion: parts.appVersion,
  records: parts.records,
  target,
});

/** The switches that a connection to this engine has, or would have. */
export function switchesOf(
  writes: Readonly<Record<string, Writes>>,
  { url, widened }: Pick<EngineToOpen, "url" | "widened">,
): EngineLinkOptions["switches"] {
  const key = writesKey(url === undefined ? { kind: "embedded", url: "" } : { kind: "remote", url });
  return launchSwitches(url === undefined, widened, writes[key]);
}

/**
 * The switches a connection starts with. The flags widen them for this launch; without them the person's earlier decision
 * counts; without one, the embedded engine is writable by the person and read-only for agents, any other is read-only.
 */
export function launchSwitches(
  embedded: boolean,
  flags: Widened,
  kept: Writes | undefined,
): EngineLinkOptions["switches"] {
  return {
    personMayWrite: flags.allowWrites || (kept?.person ?? embedded),
    agentsMayWrite: flags.allowWrites || (kept?.agents ?? false),
    // A tool server that serves terminals serves writes too, so a remote engine gets them only when it was asked for.
    terminals: embedded || flags.terminals,
  };
}

function engineSource(parts: ConnectionParts, { url, apiKey }: EngineToOpen): EngineSource {
  const { profile, programs } = parts;
  if (url !== undefined) return { kind: "remote", url, apiKey };
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
          keyStore: parts.keyStore,
        },
        signal,
      );
      lastPort = Number(new URL(running.value.url).port);
      return running;
    },
  };
}
