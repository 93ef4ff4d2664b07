import type { Clock } from "../../loopback/clock.ts";
import type { McpSession } from "../../mcp/client/session.ts";
import type { EngineConnection, LiveTopic } from "../../mcp/contract/live.ts";
import type { TerminalBridge } from "../children/bridge.ts";
import type { EmbeddedEngine } from "../children/engine.ts";
import type { ToolServerTarget } from "../children/tool-server.ts";
import { supervise, type ChildState, type Running, type Supervised } from "../children/supervisor.ts";
import type { Connection } from "../contract/connection.ts";
import { logError } from "../log.ts";
import { applicationRows, type ApplicationRow } from "../mcp-endpoint/application-rows.ts";
import type { Switches } from "../mcp-endpoint/gate.ts";
import type { EngineMeta } from "../mcp-endpoint/tool-result.ts";
import type { Writes } from "../settings.ts";
import { connectionState } from "./connection-state.ts";
import { followTools } from "./follow-tools.ts";
import { followEngine } from "./live-updates.ts";

/** Where an engine is: our own process, which has to come up first, or an address that was given. */
export type EngineSource =
  | { readonly kind: "embedded"; start(signal: AbortSignal): Promise<Running<EmbeddedEngine>> }
  | { readonly kind: "remote"; readonly url: string; readonly apiKey: string | undefined };

export interface EngineLinkOptions {
  readonly id: string;
  readonly name: string;
  readonly source: EngineSource;
  readonly switches: Omit<Switches, "name">;
  startTools(target: ToolServerTarget, signal: AbortSignal): Promise<Running<McpSession>>;
  /** Its address goes to the tool server where terminals are served. */
  readonly bridge: Pick<TerminalBridge, "address" | "url">;
  readonly onConnection: () => void;
  /** The applications' tools are others now. */
  readonly onTools: () => void;
  readonly onChanged: (topic: LiveTopic) => void;
  readonly clock: Clock;
  readonly now: () => Date;
}

/** Why nothing can be sent. */
export interface NoSession {
  /** One sentence. */
  readonly why: string;
  /** `away`: it does not come up by itself any more, so calling again later helps nobody. */
  readonly state: "starting" | "restarting" | "away";
}

/** One connection: its engine, where that is ours, and the tool server that talks to it. */
export interface EngineLink {
  readonly id: string;
  readonly name: string;
  readonly switches: Switches;
  /** From now on; who is left out keeps what they have. A change that is under way is not cut off. */
  setWrites(writes: Writes): void;
  /** What the person calls it from now on. */
  rename(name: string): void;
  /** Of a remote engine: its tool server starts anew with this key. */
  setKey(apiKey: string | undefined): void;
  /** Resolves once no call that may change something is under way. */
  idle(): Promise<void>;
  /** A call that may change something begins. Returns what is to be called once at its end. */
  changeBegins(): () => void;
  describe(): Connection;
  readonly meta: EngineMeta;
  /** The tools that applications registered with the engine; none while the engine is away. */
  readonly applicationRows: readonly ApplicationRow[];
  /** The tool server's session, or why there is none now. */
  session(): McpSession | NoSession;
  /** The embedded engine once it runs: for the demo. */
  engine(signal: AbortSignal): Promise<EmbeddedEngine>;
  /** Resolves once it has come up, or it is known that it will not by itself, or nobody waits any more. */
  settled(signal: AbortSignal): Promise<void>;
  restart(): void;
  /** The terminal bridge listens somewhere else now. */
  restartTools(): void;
  stop(): Promise<void>;
}

/** Starts a connection. It comes up by itself; `describe` tells how far it is. */
export function openEngineLink(options: EngineLinkOptions): EngineLink {
  const { id, source } = options;
  let { name } = options;
  let switches: Omit<Switches, "name"> = options.switches;
  let apiKey = source.kind === "remote" ? source.apiKey : undefined;
  let seen: EngineConnection | undefined;
  let since = options.now().toISOString();
  let lastState = "";
  let settle = () => {};
  const settled = new Promise<void>((resolve) => (settle = resolve));
  const waiting = new Set<(engine: EmbeddedEngine) => void>();
  /** Calls under way that may change something, and who waits for the last one. */
  let changing = 0;
  const whenIdle = new Set<() => void>();
  /** Whether the tool server that runs, or starts, has the tools that write. */
  let startedWithWrites: boolean | undefined;
  /** As the tool server listed them last. */
  let declared: readonly ApplicationRow[] = [];
  let isListed = false;
  let offered: readonly ApplicationRow[] = [];

  const changed = () => {
    const { state, problem } = connectionState(engine?.state, tools.state, seen);
    if (state !== lastState) {
      since = options.now().toISOString();
      if (state === "crashed")
        logError("hub", `${name} has crashed and is not started again. ${problem ?? ""}`);
    }
    lastState = state;
    offer(state === "connected" && isListed ? declared : []);
    if (state !== "starting") settle();
    options.onConnection();
  };

  function offer(rows: readonly ApplicationRow[]): void {
    const isSame = rows.length === offered.length && rows.every((row, at) => row === offered[at]);
    if (isSame) return;
    offered = rows;
    options.onTools();
  }

  let address = source.kind === "remote" ? source.url : "";
  const onEngine = (state: ChildState<EmbeddedEngine>) => {
    if (state.name === "running") {
      const moved = address !== "" && address !== state.value.url;
      address = state.value.url;
      for (const tell of waiting) tell(state.value);
      waiting.clear();
      if (moved) tools.restart();
    }
    queueMicrotask(changed); // the first state comes before `tools` exists
  };
  const engine: Supervised<EmbeddedEngine> | undefined =
    source.kind === "embedded"
      ? supervise({ start: (signal) => source.start(signal), onState: onEngine, clock: options.clock })
      : undefined;

  function engineRunning(signal: AbortSignal): Promise<EmbeddedEngine> {
    if (engine?.state.name === "running") return Promise.resolve(engine.state.value);
    return new Promise((resolve, reject) => {
      waiting.add(resolve);
      signal.addEventListener("abort", () => {
        waiting.delete(resolve);
        reject(new Error("stopped while the engine started"));
      });
    });
  }

  async function startTools(signal: AbortSignal): Promise<Running<McpSession>> {
    const at = source.kind === "remote" ? { url: source.url, apiKey } : await engineRunning(signal);
    const bridge = switches.terminals ? await options.bridge.address(signal) : undefined;
    const allowWrites = servesWrites(switches) || bridge !== undefined;
    startedWithWrites = allowWrites;
    const target = { url: at.url, apiKey: at.apiKey, allowWrites, bridge };
    const running = await options.startTools(target, signal);
    seen = undefined;
    isListed = false;
    const over = new AbortController();
    void running.ended.then(() => over.abort()); // `ended` never rejects
    followEngine(running.value, {
      url: at.url,
      clock: options.clock,
      now: options.now,
      ended: over.signal,
      onChanged: options.onChanged,
      onEngine: (news) => {
        seen = news;
        changed();
      },
    }).catch((cause: unknown) => {
      if (!over.signal.aborted) logError("hub", `${id}: nothing is heard of the engine any more`, cause);
    });
    followTools(running.value, {
      clock: options.clock,
      ended: over.signal,
      onProblem: (cause) => logError("hub", `${id}: the tool server's list could not be read`, cause),
      onTools(listed) {
        declared = applicationRows(listed, declared);
        isListed = true;
        changed();
      },
    }).catch((cause: unknown) => logError("hub", `${id}: no changes of its tools are heard any more`, cause));
    return running;
  }
  const tools: Supervised<McpSession> = supervise({
    start: startTools,
    onState: () => queueMicrotask(changed),
    clock: options.clock,
  });

  /**
   * A tool server that may not write does not have the tools at all. Main refuses them already, so what is under way ends
   * first: whoever asked for it hears how it came out.
   */
  function restartWhenStale(): void {
    const serves = servesWrites(switches) || (switches.terminals && options.bridge.url !== undefined);
    if (startedWithWrites === undefined || serves === startedWithWrites || changing > 0) return;
    startedWithWrites = undefined; // until it starts anew
    tools.restart();
  }

  return {
    id,
    get name() {
      return name;
    },
    get switches() {
      // A bridge that has crashed serves no terminals.
      return { ...switches, name, terminals: switches.terminals && options.bridge.url !== undefined };
    },
    setWrites(writes) {
      switches = {
        ...switches,
        personMayWrite: writes.person ?? switches.personMayWrite,
        agentsMayWrite: writes.agents ?? switches.agentsMayWrite,
      };
      restartWhenStale();
      options.onConnection();
    },
    rename(to) {
      name = to;
      options.onConnection();
    },
    setKey(key) {
      apiKey = key;
      tools.restart();
    },
    idle: () => (changing === 0 ? Promise.resolve() : new Promise((resolve) => whenIdle.add(resolve))),
    changeBegins() {
      changing += 1;
      return () => {
        changing -= 1;
        restartWhenStale();
        if (changing > 0) return;
        for (const wake of whenIdle) wake();
        whenIdle.clear();
      };
    },
    describe: () => ({
      id,
      name,
      kind: source.kind,
      url: address,
      person_may_write: switches.personMayWrite,
      agents_may_write: switches.agentsMayWrite,
      since,
      ...(seen?.version === undefined ? {} : { engine_version: seen.version }),
      ...connectionState(engine?.state, tools.state, seen),
    }),
    get meta() {
      return { connection: id, kind: source.kind, url: address };
    },
    get applicationRows() {
      return offered;
    },
    session() {
      if (tools.state.name === "running") return tools.state.value;
      const { state, problem } = connectionState(engine?.state, tools.state, seen);
      if (state === "crashed") return { why: problem ?? "It has crashed.", state: "away" };
      return problem === undefined
        ? { why: "It is starting.", state: "starting" }
        : { why: problem, state: "restarting" };
    },
    engine: engineRunning,
    settled: (signal) => Promise.race([settled, whenAborted(signal)]),
    restart() {
      engine?.restart();
      tools.restart();
    },
    restartTools: () => tools.restart(),
    async stop() {
      await tools.stop();
      await engine?.stop();
    },
  };
}

const servesWrites = (switches: Omit<Switches, "name">): boolean =>
  switches.personMayWrite || switches.agentsMayWrite;

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
