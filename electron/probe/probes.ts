import type { Caller } from "../mcp-endpoint/permissions.ts";
import { randomUUID } from "node:crypto";
import type { Clock } from "../../loopback/clock.ts";
import { hashToken, makeToken } from "../../loopback/token.ts";
import type { Probe, ProbeEra, ProbeOutcome, ProbeView } from "../contract/probe.ts";
import { TOKEN_PREFIX } from "../mcp-endpoint/local-token.ts";
import type { Authenticated } from "../mcp-endpoint/server.ts";
import { frameLog, type FrameLog } from "./frames.ts";
import type { ProbeClient, ProbeTarget } from "./probe-client.ts";

/** How long a test's token opens anything, in ms. */
export const PROBE_MS = 15 * 60_000;
/** Its callers' name. No token that a person makes can be called this: names have no brackets. */
export const PROBE_NAME = "[test as an agent]";

/** A test that is over, or never was. */
export class NoProbe extends Error {
  override readonly name = "NoProbe";
}

export interface ProbesOptions {
  /** Address of a connection's endpoint. */
  url(connection: string): string;
  readonly version: string;
  readonly clock: Clock;
  readonly now: () => Date;
  /** Ends the sessions and questions of this caller. */
  dropCaller(name: string): Promise<void>;
  /** One per era. */
  readonly connect: Readonly<Record<ProbeEra, (target: ProbeTarget) => Promise<ProbeClient>>>;
}

export interface Probes {
  /** For the endpoint: who holds this token. */
  authenticate(token: string): Authenticated | undefined;
  /** Who holds the token of this hash, while its test runs. */
  holder(tokenId: string): Caller | undefined;
  /** Makes a token that is told to nobody, connects as agents of both eras do, and says what they see. */
  open(connection: string, permissions: readonly string[]): Promise<Probe>;
  /** @throws NoProbe */
  call(id: string, era: ProbeEra, tool: string, args: Record<string, unknown>): Promise<ProbeOutcome>;
  /** Ends a test and its token; true when there was one. */
  close(id: string): Promise<boolean>;
  end(): Promise<void>;
}

interface Running {
  readonly id: string;
  readonly tokenId: string;
  readonly caller: Authenticated["caller"];
  readonly expiresMs: number;
  readonly frames: FrameLog;
  readonly clients: Map<ProbeEra, ProbeClient>;
  readonly over: AbortController;
}

/** Tests of the agents' door from the inside, by the clients that agents use. The token never leaves main. */
export function openProbes(options: ProbesOptions): Probes {
  const running = new Map<string, Running>();
  const { clock } = options;

  async function close(id: string): Promise<boolean> {
    const probe = running.get(id);
    if (probe === undefined) return false;
    running.delete(id); // from here on its token opens nothing
    probe.over.abort(new Error("the test is over"));
    await Promise.allSettled([...probe.clients.values()].map((client) => client.close()));
    await options.dropCaller(probe.caller.name);
    return true;
  }

  async function view(probe: Running, era: ProbeEra, target: ProbeTarget): Promise<ProbeView> {
    const startMs = performance.now();
    const seen = { era, tools: [], connect_ms: 0, list_ms: 0 };
    try {
      const client = await options.connect[era](target);
      probe.clients.set(era, client);
      const connectedMs = performance.now();
      const tools = await client.listTools();
      return {
        era,
        ...(client.revision === undefined ? {} : { revision: client.revision }),
        ...(client.server === undefined ? {} : { server: client.server }),
        tools,
        connect_ms: connectedMs - startMs,
        list_ms: performance.now() - connectedMs,
      };
    } catch (cause) {
      return { ...seen, problem: sentence(cause), connect_ms: performance.now() - startMs };
    }
  }

  function holder(tokenId: string): Caller | undefined {
    for (const probe of running.values())
      if (probe.tokenId === tokenId && clock.nowMs() < probe.expiresMs) return probe.caller;
    return undefined;
  }

  return {
    authenticate(token) {
      const tokenId = hashToken(token);
      const caller = holder(tokenId);
      return caller === undefined ? undefined : { tokenId, caller };
    },
    holder,
    async open(connection, permissions) {
      // One page shows one test: the one before is over.
      await Promise.all([...running.keys()].map(close));
      const token = makeToken(TOKEN_PREFIX);
      const beganMs = performance.now();
      const frames = frameLog([token], () => performance.now() - beganMs);
      const probe: Running = {
        id: `probe_${randomUUID()}`,
        tokenId: hashToken(token),
        caller: { kind: "token", name: PROBE_NAME, permissions: [...permissions] },
        expiresMs: clock.nowMs() + PROBE_MS,
        frames,
        clients: new Map(),
        over: new AbortController(),
      };
      running.set(probe.id, probe);
      // Wakes at once when the test is over, and then finds nothing to close.
      void clock.sleep(PROBE_MS, probe.over.signal).then(() => close(probe.id));
      const url = options.url(connection);
      const target = (era: ProbeEra): ProbeTarget => ({
        url,
        token,
        version: options.version,
        fetch: frames.fetchAs(era),
      });
      const views: ProbeView[] = [];
      for (const era of ["handshake", "2026-07-28"] as const) views.push(await view(probe, era, target(era)));
      return {
        id: probe.id,
        url,
        expires_at: new Date(options.now().getTime() + PROBE_MS).toISOString(),
        views,
        frames: frames.take(),
      };
    },
    async call(id, era, tool, args) {
      const probe = running.get(id);
      const client = probe?.clients.get(era);
      if (probe === undefined || client === undefined)
        throw new NoProbe("this test is over; start another one");
      const startMs = performance.now();
      const done = () => ({ era, ms: performance.now() - startMs, frames: probe.frames.take() });
      try {
        const result = await client.call(tool, args, probe.over.signal);
        return { result, ...done() };
      } catch (cause) {
        return { problem: sentence(cause), ...done() };
      }
    },
    close,
    async end() {
      await Promise.all([...running.keys()].map(close));
    },
  };
}

const sentence = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
