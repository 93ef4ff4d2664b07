import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../loopback/clock.ts";
import type { LadderStep } from "../loopback/end-processes.ts";
import { systemReason } from "../loopback/system-reason.ts";
import {
  TERMINAL_LIMITS,
  type OutputQuery,
  type OutputResponse,
  type RunRequest,
  type StopResponse,
  type TerminalSession,
  type TerminalSize,
} from "./contract/api.ts";
import type { FromBridge, TranscriptFormat } from "./contract/port.ts";
import { BlockPool } from "./block-pool.ts";
import { Coalesced } from "./coalesce.ts";
import { LOOK_SOON_MS } from "./look-times.ts";
import { OutputLog } from "./output-log.ts";
import { answerRead } from "./reader.ts";
import type { ScriptFolder } from "./script-folder.ts";
import { Session, type SessionContext } from "./session.ts";
import { DiskBudget, SpillFile } from "./spill-file.ts";
import type { TabPort } from "./tab.ts";
import { writeTranscript } from "./transcript.ts";
import { AT_ONCE_STEPS, SHUTDOWN_STEPS, STOP_STEPS } from "./terminal-processes.ts";

/** The list goes to main this long after a change of a session, or of the length of its output, in ms. */
const TELL = { soonMs: 30, laterMs: 1_000 };
/** How often it is looked whether what lives on after its session still does, in ms. */
const RECOUNT_MS = 2_000;
const ID_RANDOM_BYTES = 9;

type LogLimit = "logMemoryBytes" | "allLogsMemoryBytes" | "logSpillBytes" | "allLogsSpillBytes";

export interface SessionsOptions {
  environment: SessionContext["environment"];
  scripts: ScriptFolder;
  /** Where output goes that memory has no room for: a private folder on a disk. */
  logFolder: string;
  /** This life of the app. */
  marker: string;
  clock: Clock;
  /** Default: this system. */
  look?: SessionContext["look"];
  now: () => Date;
  tell: (message: FromBridge) => void;
  problem: (text: string) => void;
  /** Default: the contract's. */
  maxSessions?: number;
  /** What a log, and all together, keep in memory and on disk. Default: the contract's. */
  logs?: Partial<Pick<typeof TERMINAL_LIMITS, LogLimit>>;
  /** How a session is ended when a person asks for it, and when the app closes. */
  stopSteps?: readonly LadderStep[];
  shutdownSteps?: readonly LadderStep[];
}

/** There is no room, and nothing that could make room. */
export class TooManySessions extends Error {
  override readonly name = "TooManySessions";
}

/** All terminals: at most so many, the newest last. */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #options: SessionsOptions;
  readonly #context: SessionContext;
  readonly #closing = new AbortController();
  readonly #list: Coalesced;
  #recount: NodeJS.Timeout | undefined;
  #recounting: Promise<void> | undefined;
  #inputLook: NodeJS.Timeout | undefined;
  #lookingForInput: Promise<void> | undefined;
  #closed: Promise<void> | undefined;
  /** Transcripts that are being written. */
  readonly #saves = new Set<Promise<void>>();
  /** Of a bridge that crashed before this one: how they ended. */
  readonly #lost = new Map<string, TerminalSession>();

  constructor(options: SessionsOptions) {
    this.#options = options;
    this.#list = new Coalesced(() => {
      this.#tellList();
    }, TELL);
    const { environment, scripts, logFolder, marker, clock, look, now, problem, tell } = options;
    const limits: Record<LogLimit, number> = { ...TERMINAL_LIMITS, ...options.logs };
    const pool = new BlockPool(limits.allLogsMemoryBytes);
    const disk = new DiskBudget(limits.allLogsSpillBytes);
    this.#context = {
      environment,
      scripts,
      newLog: (id) =>
        new OutputLog({
          memoryBytes: limits.logMemoryBytes,
          pool,
          spill: new SpillFile({
            file: join(logFolder, `${id}.log`),
            limitBytes: limits.logSpillBytes,
            disk,
            onBroken: (error) => {
              problem(`${id}: its older output could not be kept on disk: ${String(error)}`);
            },
          }),
        }),
      marker,
      clock,
      look,
      now,
      problem,
      closing: this.#closing.signal,
      changed: (_session, what) => {
        if (what === "output") this.#list.later();
        else this.#changed();
      },
      process: (event, { pid, startTime }) => {
        tell({ type: "process", event, pid, start_time: startTime });
      },
    };
  }

  /**
   * Starts a command; the answer tells whether it runs or why not.
   * @throws TooManySessions when there is no room
   */
  async run(request: RunRequest, name?: string): Promise<TerminalSession> {
    const { maxSessions = TERMINAL_LIMITS.sessions } = this.#options;
    while (this.#sessions.size >= maxSessions && !this.#closing.signal.aborted)
      await this.#makeRoom(maxSessions);
    if (this.#closing.signal.aborted) throw new TooManySessions("the app is closing");
    const id = `term_${randomBytes(ID_RANDOM_BYTES).toString("base64url")}`;
    const session = new Session(id, request, this.#context, name);
    this.#sessions.set(id, session);
    this.#list.soon();
    this.#lookForInputLater();
    await session.started;
    return session.snapshot();
  }

  list(): TerminalSession[] {
    return [...this.#sessions.values()].map((session) => session.snapshot());
  }

  /** As `list`, with those that went with an earlier bridge first. */
  listAll(): TerminalSession[] {
    return [...this.#lost.values(), ...this.list()];
  }

  /** Who asks for one of these is told how it ended, and that its output is gone. Of others no more: their tabs were closed. */
  remember(lost: readonly TerminalSession[]): void {
    this.#lost.clear();
    for (const session of lost) this.#lost.set(session.session_id, session);
  }

  /** How a session ended that went with an earlier bridge. */
  lost(id: string): TerminalSession | undefined {
    return this.#lost.get(id);
  }

  /** False: no such session. */
  rename(id: string, name: string): boolean {
    const session = this.#sessions.get(id);
    session?.rename(name);
    return session !== undefined;
  }

  /** The whole command; null: no such session. */
  command(id: string): string | null {
    return this.#sessions.get(id)?.request.command ?? null;
  }

  /** Waits and formats as asked. Undefined: no such session. @throws PastTheEnd */
  async answer(id: string, query: OutputQuery, signal: AbortSignal): Promise<OutputResponse | undefined> {
    const session = this.#sessions.get(id);
    if (session === undefined) return undefined;
    const read = await answerRead(session, query, signal);
    if (query.format !== "screen" && !signal.aborted) session.wasReadTo(read.next);
    return read;
  }

  /** Types into a terminal. Undefined: no such session; false: it was not taken. */
  type(id: string, text: string): boolean | undefined {
    return this.#sessions.get(id)?.type(text);
  }

  /** The size it has now. Undefined: no such session. */
  resize(id: string, size: TerminalSize): TerminalSize | undefined {
    const session = this.#sessions.get(id);
    session?.resize(size);
    return session?.snapshot().size;
  }

  /**
   * Undefined: no such session.
   * @param how `by`: who asked for it, as the session's reason tells. `atOnce`: nothing in it gets time to clean up, not
   * even when it is being stopped already.
   */
  async stop(
    id: string,
    { by = "the person", atOnce = false }: { by?: string; atOnce?: boolean } = {},
  ): Promise<StopResponse | undefined> {
    const session = this.#sessions.get(id);
    if (atOnce) return session?.stopAtOnce(AT_ONCE_STEPS, by);
    return session?.stop(this.#options.stopSteps ?? STOP_STEPS, by);
  }

  /** Runs the command of a session once more. Null: there is no such session, or no room. */
  async restart(id: string): Promise<string | null> {
    const session = this.#sessions.get(id);
    if (session === undefined) return null;
    try {
      return (await this.run(session.request, session.name)).session_id;
    } catch (error) {
      if (error instanceof TooManySessions) return null;
      throw error;
    }
  }

  /** Writes what is kept of the output to a file. @returns what went wrong, or null */
  async save(id: string, format: TranscriptFormat, path: string): Promise<string | null> {
    const session = this.#sessions.get(id);
    if (session === undefined) return "there is no such terminal any more";
    const save = writeTranscript(session, format, path, this.#closing.signal);
    this.#saves.add(save);
    try {
      await save;
      return null;
    } catch (cause) {
      return `${path} cannot be written (${systemReason(cause)})`;
    } finally {
      this.#saves.delete(save);
    }
  }

  /** False: no such session. */
  attach(id: string, port: TabPort): boolean {
    const session = this.#sessions.get(id);
    session?.attach(port);
    return session !== undefined;
  }

  /** Stops a session and forgets it, unless something of it lives on: then it stays, and `response` tells. */
  async close(id: string): Promise<{ closed: boolean; response?: StopResponse }> {
    const session = this.#sessions.get(id);
    if (session === undefined) return { closed: false };
    const response = await session.stop(this.#options.stopSteps ?? STOP_STEPS, "the person");
    if (response.outcome === "not_confirmed") return { closed: false, response };
    this.#forget(session);
    return { closed: true };
  }

  /** Ends everything; nothing starts any more. May be called more than once. */
  shutdown(): Promise<void> {
    return (this.#closed ??= this.#shutdown());
  }

  async #shutdown(): Promise<void> {
    this.#closing.abort(new Error("the app is closing"));
    const all = [...this.#sessions.values()];
    const steps = this.#options.shutdownSteps ?? SHUTDOWN_STEPS;
    const results = await Promise.allSettled(
      all.map((session) => session.stop(steps, "the person").finally(() => session.forget())),
    );
    // How each ended, and the proof that nothing of it is left: this is the last that is heard of them.
    this.#list.now();
    this.#list.stop();
    clearTimeout(this.#recount);
    clearTimeout(this.#inputLook);
    await this.#recounting;
    await this.#lookingForInput;
    await Promise.allSettled(this.#saves);
    this.#sessions.clear();
    for (const result of results)
      if (result.status === "rejected")
        this.#options.problem(`a session did not close: ${String(result.reason)}`);
  }

  /**
   * Closes the one that is missed least. What has just ended may be closed in a moment: then it only waits.
   * @throws TooManySessions
   */
  async #makeRoom(maxSessions: number): Promise<void> {
    const all = [...this.#sessions.values()];
    const over = all.filter((session) => session.isOver);
    const [first] = over.filter((session) => !session.isShown).sort(missedLess);
    if (first !== undefined) {
      this.#forget(first);
      return;
    }
    const ending = all.flatMap((session) => session.ending ?? []);
    if (ending.length > 0) {
      await Promise.race(ending);
      return;
    }
    throw new TooManySessions(
      over.length === 0
        ? `all ${maxSessions} terminals are in use: stop one, or wait until one ends`
        : `all ${maxSessions} terminals are in use or on screen: stop one, close one, or wait until one ends`,
    );
  }

  #forget(session: Session): void {
    // Its end is told before it is gone from the list: nobody can ask for it any more.
    this.#list.now();
    this.#list.soon();
    session.forget();
    this.#sessions.delete(session.id);
  }

  #changed(): void {
    this.#list.soon();
    this.#recountLater();
  }

  #recountLater(): void {
    const due = [...this.#sessions.values()].some((session) => session.ended && !session.isOver);
    if (!due || this.#recount !== undefined || this.#closing.signal.aborted) return;
    this.#recount = setTimeout(() => {
      this.#recounting = this.#recountAll();
    }, RECOUNT_MS);
  }

  async #recountAll(): Promise<void> {
    // Together: they share what is read of the system then.
    const left = [...this.#sessions.values()].filter((session) => !session.isOver);
    await Promise.all(left.map((session) => session.recount()));
    this.#recount = undefined;
    this.#recountLater();
  }

  #lookForInputLater(): void {
    const due = [...this.#sessions.values()].some((session) => !session.ended);
    if (!due || this.#inputLook !== undefined || this.#closing.signal.aborted) return;
    this.#inputLook = setTimeout(() => {
      this.#lookingForInput = this.#lookForInput();
    }, LOOK_SOON_MS);
  }

  async #lookForInput(): Promise<void> {
    for (const session of this.#sessions.values()) {
      if (this.#closing.signal.aborted) return;
      try {
        await session.lookForInput();
      } catch (error) {
        this.#options.problem(`${session.id}: whether it waits for input is not known: ${String(error)}`);
      }
    }
    this.#inputLook = undefined;
    this.#lookForInputLater();
  }

  #tellList(): void {
    this.#options.tell({ type: "sessions", sessions: this.list() });
  }
}

/** For sorting those that are over: an agent still reads what it has not read; of the rest, the one that ended first. */
function missedLess(a: Session, b: Session): number {
  return Number(b.isRead) - Number(a.isRead) || (a.endedAtMs ?? 0) - (b.endedAtMs ?? 0);
}
