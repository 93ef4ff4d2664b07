import { rm } from "node:fs/promises";
import { MessageChannelMain, utilityProcess, type MessagePortMain, type UtilityProcess } from "electron";
import type { StopResponse, TerminalSession } from "../../bridge/contract/api.ts";
import {
  FromBridge,
  type BridgeRequest,
  type ToBridge,
  type TranscriptFormat,
} from "../../bridge/contract/port.ts";
import type { Clock } from "../../loopback/clock.ts";
import { SESSION_MARKER } from "../../loopback/environment.ts";
import { makeToken } from "../../loopback/token.ts";
import { logError, logLine } from "../log.ts";
import { desktopEnvironment } from "./desktop-environment.ts";
import { lostTabs } from "./lost-tabs.ts";
import { endLostTerminals, lostSessions } from "./lost-terminals.ts";
import { pendingAnswers, type PendingAnswers } from "./pending-answers.ts";
import { endSentence, lastWords } from "./last-words.ts";
import type { ProcessRecords } from "./process-records.ts";
import { supervise, type ChildState, type Running } from "./supervisor.ts";

export interface BridgeAddress {
  readonly url: string;
  /** Fresh per launch; goes to the tool server's environment only. */
  readonly token: string;
}

export interface TerminalBridge {
  /** Where it listens, once it does; undefined when it has crashed. */
  address(signal: AbortSignal): Promise<BridgeAddress | undefined>;
  readonly url: string | undefined;
  /** As it last told. */
  sessions(): readonly TerminalSession[];
  // What is asked of the bridge rejects where it fails, does not run or does not answer.
  /** Connects a tab: one end of a channel to the bridge, the other, under this id, to the page. False when there is no such session. */
  attach(sessionId: string, attachId: string): Promise<boolean>;
  /** @param atOnce nothing in it gets time to clean up */
  stop(sessionId: string, atOnce?: boolean): Promise<StopResponse>;
  /** With `response` it was not closed, since something of it lives on; without, there is none. */
  close(sessionId: string): Promise<{ closed: boolean; response?: StopResponse | undefined }>;
  /** Runs its command once more. The new session, or null when it is gone or there is no room. */
  restart(sessionId: string): Promise<string | null>;
  /** Writes its transcript. What went wrong, or null. */
  save(sessionId: string, format: TranscriptFormat, path: string): Promise<string | null>;
  /** What the person calls a tab; "" takes the name away. False: it is gone. */
  rename(sessionId: string, name: string): Promise<boolean>;
  /** The whole command. Null: the session is gone. */
  command(sessionId: string): Promise<string | null>;
  end(): Promise<void>;
}

export interface BridgeOptions {
  readonly entry: string;
  /** The folder for output that memory has no room for: nobody else's, and empty while no bridge runs. */
  readonly logs: string;
  /** Identifier of this life of the app. */
  readonly launch: string;
  readonly records: ProcessRecords;
  readonly clock: Clock;
  /** Hands the page its end of a tab's channel, for the attach with which it asked. */
  readonly sendPort: (attachId: string, port: MessagePortMain) => void;
  readonly onSessions: (sessions: readonly TerminalSession[]) => void;
  /** It listens somewhere else than before. */
  readonly onMoved: () => void;
}

const READY_WITHIN_MS = 30_000;
/** Ending every terminal's processes by their ladders. */
const END_WITHIN_MS = 12_000;

interface Bridge {
  readonly url: string;
  readonly post: (message: ToBridge, ports?: MessagePortMain[]) => void;
  readonly answers: PendingAnswers;
}

/** Keeps the terminal bridge running as a utility process. Main brokers ports to it and never reads what runs in them. */
export function openTerminalBridge(options: BridgeOptions): TerminalBridge {
  const token = makeToken("ibb_");
  let sessions: readonly TerminalSession[] = [];
  let before: string | undefined;
  const waiting = new Set<() => void>();

  const tell = () => options.onSessions([...lost.list, ...sessions]);
  const lost = lostTabs((left) => {
    running()?.post({ type: "lost", sessions: [...left] });
    tell();
  });
  const onSessions = (next: readonly TerminalSession[]) => {
    sessions = next;
    tell();
  };
  const onDead = async (dead: { leaders: ReadonlyMap<number, string>; folder: string | undefined }) => {
    const { launch, clock } = options;
    const seen = await endLostTerminals({ ...dead, sessions, launch, clock });
    await rm(options.logs, { recursive: true, force: true }).catch((cause: unknown) => {
      logError("bridge", "what its terminals had printed is left on the disk", cause);
    });
    if (seen.survivors.length > 0)
      logError("bridge", `could not end ${seen.survivors.join(", ")} of its terminals`);
    const dying = sessions;
    sessions = [];
    lost.add(lostSessions(dying, seen, new Date()));
  };
  const supervised = supervise<Bridge>({
    start: async (signal) => {
      const started = await startBridge({ ...options, token, onSessions, onDead }, signal);
      // Before anybody learns its address: an agent that asks for a tab of the bridge before is told what became of it.
      if (lost.list.length > 0) started.value.post({ type: "lost", sessions: [...lost.list] });
      return started;
    },
    onState(state: ChildState<Bridge>) {
      if (state.name === "crashed") logError("bridge", state.problem);
      if (state.name !== "running") {
        if (state.name === "starting") return;
      } else {
        if (before !== undefined && before !== state.value.url) options.onMoved();
        before = state.value.url;
      }
      for (const wake of waiting) wake();
      waiting.clear();
    },
    clock: options.clock,
  });
  const running = (): Bridge | undefined =>
    supervised.state.name === "running" ? supervised.state.value : undefined;

  /** @throws Error why there is no answer */
  const ask = async <T extends Parameters<PendingAnswers["ask"]>[0]>(
    type: T,
    request: Unnumbered<BridgeRequest>,
    ports?: MessagePortMain[],
  ) => {
    const bridge = running();
    if (bridge === undefined) throw new Error("the terminal bridge does not run");
    return bridge.answers.ask(type, (request_id) => bridge.post({ ...request, request_id }, ports));
  };

  return {
    async address(signal) {
      while (supervised.state.name === "starting" && !signal.aborted) {
        await new Promise<void>((resolve) => {
          waiting.add(resolve);
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      }
      const bridge = running();
      return bridge === undefined ? undefined : { url: bridge.url, token };
    },
    get url() {
      return running()?.url;
    },
    sessions: () => [...lost.list, ...sessions],
    async attach(sessionId, attachId) {
      const { port1, port2 } = new MessageChannelMain();
      try {
        const { attached } = await ask("attached", { type: "attach", session_id: sessionId }, [port1]);
        if (attached) options.sendPort(attachId, port2);
        else port2.close();
        return attached;
      } catch (cause) {
        // Should it be attached all the same, the bridge sees that there is nobody.
        port2.close();
        throw cause;
      }
    },
    async stop(sessionId, atOnce = false) {
      const { response } = await ask("stopped", { type: "stop", session_id: sessionId, at_once: atOnce });
      if (response === null) throw new Error("there is no such terminal");
      return response;
    },
    async close(sessionId) {
      if (lost.close(sessionId)) return { closed: true };
      const { closed, response } = await ask("closed", { type: "close", session_id: sessionId });
      return { closed, response };
    },
    restart: async (sessionId) =>
      (await ask("restarted", { type: "restart", session_id: sessionId })).started,
    save: async (sessionId, format, path) =>
      (await ask("saved", { type: "save", session_id: sessionId, format, path })).problem,
    rename: async (sessionId, name) =>
      (await ask("renamed", { type: "rename", session_id: sessionId, name })).renamed,
    command: async (sessionId) =>
      (await ask("command", { type: "show_command", session_id: sessionId })).command,
    end: () => supervised.stop(),
  };
}

/** What is said to the bridge, without the number that is put on it. */
type Unnumbered<R> = R extends unknown ? Omit<R, "request_id"> : never;

type StartOptions = Omit<BridgeOptions, "onSessions"> & {
  readonly token: string;
  readonly onSessions: (sessions: readonly TerminalSession[]) => void;
  /** It is gone, and did not end in order: what ran in it is to be ended. */
  readonly onDead: (dead: {
    leaders: ReadonlyMap<number, string>;
    folder: string | undefined;
  }) => Promise<void>;
};

async function startBridge(options: StartOptions, signal: AbortSignal): Promise<Running<Bridge>> {
  signal.throwIfAborted();
  const child = utilityProcess.fork(options.entry, [], {
    serviceName: "Ironbridge terminals",
    stdio: "pipe",
    env: {
      ...desktopEnvironment(),
      [SESSION_MARKER]: options.launch,
      IRONBRIDGE_BRIDGE_TOKEN: options.token,
      IRONBRIDGE_BRIDGE_LOGS: options.logs,
    },
  });
  const words = lastWords("bridge", ({ level, message }) => logLine(level, "bridge", message));
  child.stderr?.on("data", (chunk: Buffer) => words.take(chunk.toString("utf8")));
  child.stdout?.resume();
  const answers = pendingAnswers(options.clock);
  let reason: string | undefined;
  let folder: string | undefined;
  const leaders = new Map<number, string>();
  let listening: (url: string) => void = () => {};
  const url = new Promise<string>((resolve) => (listening = resolve));

  child.on("message", (raw: unknown) => {
    const parsed = FromBridge.safeParse(raw);
    if (!parsed.success) return logError("bridge", "said something that nobody understands");
    const message = parsed.data;
    if (message.type === "listening") {
      ({ folder } = message);
      listening(message.url);
    } else if (message.type === "sessions") options.onSessions(message.sessions);
    else if (message.type === "process") {
      const { event, pid, start_time: startTime } = message;
      options.records[event](pid, startTime);
      if (event === "started") leaders.set(pid, startTime);
      else leaders.delete(pid);
    } else if (message.type === "fatal") reason = message.reason;
    else answers.settle(message);
  });

  const ended = new Promise<string>((done) => {
    child.once("exit", (code) => {
      answers.close();
      if (child.pid !== undefined) options.records.ended(child.pid);
      const sentence = endSentence("terminal bridge", { code, signal: null }, reason ?? words.text);
      // After an end in order nothing of it is left, and there is nothing to look for.
      const over = code === 0 && leaders.size === 0 ? Promise.resolve() : options.onDead({ leaders, folder });
      over
        .then(() => leaders.forEach((_, pid) => options.records.ended(pid)))
        .catch((cause: unknown) => logError("bridge", "what ran in its terminals may live on", cause))
        .finally(() => done(sentence));
    });
  });
  child.once("spawn", () => {
    if (child.pid !== undefined) options.records.started(child.pid);
  });
  const post: Bridge["post"] = (message, ports) => child.postMessage(message, ports ?? []);
  const stop = () => endBridge(child, post, ended, options.clock);

  const first = await Promise.race([
    url,
    ended.then((sentence) => new Error(sentence)),
    options.clock
      .sleep(READY_WITHIN_MS, signal)
      .then(() => new Error("The terminal bridge was not ready in time.")),
  ]);
  if (typeof first === "string") return { value: { url: first, post, answers }, ended, stop };
  await stop();
  throw first;
}

/** Asks it to end its terminals and itself; a bridge that does not is killed, and what ran in it is ended by us. */
async function endBridge(child: UtilityProcess, post: Bridge["post"], ended: Promise<string>, clock: Clock) {
  if (child.pid === undefined) return;
  post({ type: "shutdown" });
  const cancel = new AbortController();
  const over = ended.then(() => true);
  const inTime = await Promise.race([over, clock.sleep(END_WITHIN_MS, cancel.signal).then(() => false)]);
  cancel.abort();
  if (!inTime) {
    child.kill();
    await ended;
  }
}
