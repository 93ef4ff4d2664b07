import type { Clock } from "../loopback/clock.ts";
import type { LadderStep } from "../loopback/end-processes.ts";
import { launchCommand } from "../loopback/launch.ts";
import type { ProcessId } from "../loopback/processes.ts";
import {
  TERMINAL_LIMITS,
  type RunRequest,
  type StopResponse,
  type TerminalSession,
  type TerminalSize,
} from "./contract/api.ts";
import { BellWatch } from "./bell-watch.ts";
import { InputLook } from "./input-look.ts";
import { takesAnswers } from "./input-watch.ts";
import { LeftBehind } from "./left-behind.ts";
import type { OutputLog } from "./output-log.ts";
import { openTerminal } from "./open-terminal.ts";
import type { PtyEnd, TerminalDevice } from "./pty.ts";
import { scriptRun } from "./run-script.ts";
import type { ScriptFolder } from "./script-folder.ts";
import type { Readable } from "./reader.ts";
import { planSession, type SessionPlan } from "./session-plan.ts";
import { BORN, hasEnded, nextLife, type Life, type LifeEvent } from "./status.ts";
import { SizeHistory } from "./size-history.ts";
import { Tab, type TabPort, type TabSource } from "./tab.ts";
import { Timeline } from "./timeline.ts";
import { LEADER_LOOK, TerminalProcesses, type LeaderLook } from "./terminal-processes.ts";
import { UnseenQuestions } from "./unseen-questions.ts";

const DEFAULT_SIZE: TerminalSize = { cols: 80, rows: 24 };
/** After everything was killed, the leader's end is told within this, in ms; draining takes at most 250. */
const END_TOLD_MS = 1_000;

/** What all sessions share. */
export interface SessionContext {
  /** The login shell's environment; never rejects. */
  environment(): Promise<Readonly<Record<string, string>>>;
  scripts: ScriptFolder;
  newLog(sessionId: string): OutputLog;
  /** This life of the app. */
  marker: string;
  clock: Clock;
  /** Default: this system. */
  look?: LeaderLook | undefined;
  /** Wall time, for people. */
  now: () => Date;
  /** The app is closing: nothing starts any more. */
  closing: AbortSignal;
  /** Status, size, or processes left: `session`. More output: `output`. */
  changed(session: Session, what: "session" | "output"): void;
  process: (event: "started" | "ended", leader: ProcessId) => void;
  /** Something that a person should be able to find in the log. */
  problem: (text: string) => void;
}

/** One command in a terminal of its own, from its request to the end of its last process. */
export class Session implements TabSource, Readable {
  readonly id: string;
  readonly log: OutputLog;
  /** When output came, for transcripts. */
  readonly timeline = new Timeline();
  readonly sizes: SizeHistory;
  readonly #request: RunRequest;
  readonly #context: SessionContext;
  /** Name of its script file, once there is one. */
  #script: string | undefined;
  readonly #startedAt: Date;
  readonly #started: Promise<void>;
  #told: () => void = () => {};
  /** The status is final. */
  readonly #over = new Promise<void>((resolve) => {
    this.#told = resolve;
  });
  #life: Life = BORN;
  #endedAt: Date | null = null;
  #shell: string;
  #cwd: string;
  #pty: TerminalDevice | undefined;
  #processes: TerminalProcesses | undefined;
  #left: LeftBehind | undefined;
  /** From the leader's end until that is told, and what it left is looked for. */
  #ending: Promise<void> | undefined;
  #stopping: Promise<StopResponse> | undefined;
  #tab: Tab | undefined;
  /** Up to here an agent has read, in bytes. */
  #readTo = 0;
  #inputRefused = false;
  #name: string | undefined;
  readonly #bell = new BellWatch();
  readonly #questions: UnseenQuestions;
  readonly #input: InputLook;
  readonly #listeners = new Set<() => void>();

  /** Begins to start at once; `started` tells when that is decided. */
  constructor(id: string, request: RunRequest, context: SessionContext, name?: string) {
    this.id = id;
    this.log = context.newLog(id);
    this.#request = request;
    this.#name = name;
    this.#context = context;
    this.#startedAt = context.now();
    this.sizes = new SizeHistory(request.size ?? DEFAULT_SIZE);
    this.#shell = request.shell ?? "";
    this.#cwd = request.cwd ?? "";
    this.#input = new InputLook(this.log, context.clock);
    this.#questions = new UnseenQuestions({
      log: this.log,
      clock: context.clock,
      size: () => this.sizes.current,
      takesAnswers: () => takesAnswers(this.#pty?.terminal ?? ""),
      answer: (text) => this.#pty?.answer?.(text),
      problem: (error) => {
        context.problem(`${id}: what its program asked got no answer: ${String(error)}`);
      },
    });
    this.#started = this.#start();
  }

  /** Resolves when it runs or has failed to start. Never rejects. */
  get started(): Promise<void> {
    return this.#started;
  }

  get request(): RunRequest {
    return this.#request;
  }

  get ended(): boolean {
    return hasEnded(this.#life);
  }

  /** Ms of the wall clock, for sorting; undefined while it lives. */
  get endedAtMs(): number | undefined {
    return this.#endedAt?.getTime();
  }

  /** Ended, and it is proved that none of its processes lives on. */
  get isOver(): boolean {
    return this.ended && (this.#left === undefined || this.#left.goneAt !== undefined);
  }

  /** A tab shows it now. */
  get isShown(): boolean {
    return this.#tab?.isShown === true;
  }

  /** An agent has read all that there is, if there is anything. */
  get isRead(): boolean {
    return this.#readTo >= this.log.end;
  }

  wasReadTo(offset: number): void {
    this.#readTo = Math.max(this.#readTo, offset);
  }

  /** While its leader has ended and it is looked whether anything lives on. Never rejects. */
  get ending(): Promise<void> | undefined {
    return this.#ending;
  }

  snapshot(): TerminalSession {
    const { command } = this.#request;
    const goneAt = this.#left?.goneAt;
    return {
      session_id: this.id,
      agent: this.#request.agent,
      command: shown(command),
      shell: this.#shell,
      cwd: this.#cwd,
      status: this.#life.status,
      exit_code: this.#life.exitCode,
      signal: this.#life.signal,
      reason: this.#life.reason,
      started_at: this.#startedAt.toISOString(),
      ended_at: this.#endedAt?.toISOString() ?? null,
      output_bytes: this.log.end,
      left_behind: this.#left?.count ?? 0,
      size: this.sizes.current,
      ...(this.#name === undefined ? {} : { name: this.#name }),
      ...(isCut(command) ? { command_chars: command.length } : {}),
      ...(this.#bell.count === 0 ? {} : { bells: this.#bell.count }),
      ...(this.#pty === undefined ? {} : { pid: this.#pty.pid }),
      ...(goneAt === undefined ? {} : { gone_at: goneAt.toISOString() }),
    };
  }

  get name(): string | undefined {
    return this.#name;
  }

  /** What the person calls it; "" takes the name away. */
  rename(name: string): void {
    const trimmed = name.trim();
    this.#name = trimmed === "" ? undefined : trimmed;
    this.#changed();
  }

  onActivity(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  attach(port: TabPort): void {
    this.detach();
    const tab = new Tab(port, this, {
      close: () => {
        if (this.#tab === tab) this.#tab = undefined;
      },
      problem: (text) => {
        this.#context.problem(`${this.id}: ${text}`);
      },
      unsent: (offset) => {
        this.#questions.unsent(offset);
      },
    });
    this.#tab = tab;
  }

  /** False when it was not taken: it has ended, or too much waits already. What is typed is kept nowhere. */
  type(text: string): boolean {
    if (this.#pty === undefined || this.ended) return false;
    const taken = this.#pty.write(text);
    this.#input.typed();
    if (!taken && !this.#inputRefused) this.#context.problem(`${this.id}: input is not read and was refused`);
    this.#inputRefused = !taken;
    return taken;
  }

  resize(size: TerminalSize): void {
    const { cols, rows } = this.sizes.current;
    if (this.ended || (size.cols === cols && size.rows === rows)) return;
    this.sizes.note(this.log.end, size, this.#context.now().getTime());
    this.#pty?.resize(size);
    this.#changed();
  }

  /** Ends all its processes and says what was seen. `by` is told as the reason of its end. Asked again while it is at it, there is one ladder. */
  stop(steps: readonly LadderStep[], by: string): Promise<StopResponse> {
    this.#stopping ??= this.#stop(steps, by).finally(() => {
      this.#stopping = undefined;
    });
    return this.#stopping;
  }

  /** Like `stop`; nothing gets time, and a ladder that is under way is not waited for. */
  async stopAtOnce(steps: readonly LadderStep[], by: string): Promise<StopResponse> {
    const { clock } = this.#context;
    await this.#started;
    if (!this.ended) this.#advance({ type: "stop_requested", by });
    try {
      await this.#processes?.strike();
    } catch (error) {
      // The ladder strikes as well, as soon as it can look.
      this.#context.problem(`${this.id}: its process could not be looked at: ${String(error)}`);
    }
    if (this.#stopping !== undefined) await this.#processes?.end(steps, clock);
    return this.stop(steps, by);
  }

  /** Gives back the tab and the log, when nobody asks for them any more. */
  forget(): void {
    this.detach();
    this.#questions.close();
    this.log.dispose();
  }

  detach(): void {
    this.#tab?.close();
    this.#tab = undefined;
  }

  /** Looks, when it is time to, whether the program waits for a person. */
  async lookForInput(): Promise<void> {
    if (this.#pty === undefined || this.ended) return;
    const seen = await this.#input.look(this.#pty);
    if (seen !== undefined && !this.ended) this.#advance({ type: seen });
  }

  /** Looks again for processes that live on after the leader's end. */
  async recount(): Promise<void> {
    if (this.ended) await this.#left?.recount();
  }

  async #start(): Promise<void> {
    try {
      const environment = await this.#context.environment();
      // Whatever goes wrong from here is an answer to whoever asked for the command, not a fault of the bridge.
      const { closing, scripts, marker } = this.#context;
      const plan = planSession(this.#request, { sessionId: this.id, environment, marker });
      this.#shell = plan.shell;
      this.#cwd = plan.cwd;
      this.#script = `${this.id}${scriptRun(plan.shell).suffix}`;
      const script = await scripts.write(this.#script, this.#request.command);
      if (closing.aborted) throw new Error("the app is closing");
      await this.#spawn(plan, script);
    } catch (error) {
      await this.#removeScript();
      this.#advance({ type: "not_started", reason: error instanceof Error ? error.message : String(error) });
    }
  }

  async #spawn(plan: SessionPlan, script: string): Promise<void> {
    const { clock, look = LEADER_LOOK, now, process, problem } = this.#context;
    const since = look.now();
    const launched = launchCommand(
      { command: plan.shell, args: scriptRun(plan.shell).args(script) },
      plan.env,
    );
    const pty = openTerminal(
      { ...launched, env: plan.env, cwd: plan.cwd, size: this.sizes.current },
      {
        data: (bytes) => {
          const offset = this.log.end;
          this.timeline.note(offset, this.#context.now().getTime());
          this.log.append(bytes);
          this.#bell.take(bytes);
          if (!this.isShown) this.#questions.unseen(bytes, offset);
          this.#input.printed();
          this.#tab?.outputArrived();
          for (const listener of this.#listeners) listener();
          this.#context.changed(this, "output");
        },
        end: (end) => {
          // A rejection is a fault of ours and ends the process.
          this.#ending = this.#end(end).finally(() => {
            this.#ending = undefined;
          });
        },
      },
    );
    this.#pty = pty;
    // It runs. Whatever goes wrong from here on does not mean that it did not start.
    this.#processes = new TerminalProcesses(this.id, pty.pid, since, look);
    try {
      await this.#processes.identify();
    } catch (error) {
      problem(`${this.id}: its process could not be looked at: ${String(error)}`);
    }
    this.#left = new LeftBehind({
      processes: this.#processes,
      clock,
      now,
      process,
      changed: () => this.#changed(),
      problem: (text) => problem(`${this.id}: ${text}`),
    });
    this.#advance({ type: "started" });
  }

  async #end(end: PtyEnd): Promise<void> {
    this.#questions.close();
    await this.#started;
    this.#processes?.leaderEnded();
    await this.#removeScript();
    await this.#left?.look();
    this.#advance({ type: "ended", ...end });
    await this.#left?.settle();
  }

  async #stop(steps: readonly LadderStep[], by: string): Promise<StopResponse> {
    await this.#started;
    if (!this.ended) this.#advance({ type: "stop_requested", by });
    if (this.#processes === undefined) return { session_id: this.id, outcome: "already_ended", alive: 0 };
    const { clock } = this.#context;
    const seen = await this.#processes.end(steps, clock);
    if (seen.outcome !== "not_confirmed") await this.#isTold();
    await this.#ending;
    await this.recount();
    return { session_id: this.id, ...seen };
  }

  async #isTold(): Promise<void> {
    const waited = new AbortController();
    try {
      await Promise.race([this.#over, this.#context.clock.sleep(END_TOLD_MS, waited.signal)]);
    } finally {
      waited.abort();
    }
  }

  #advance(event: LifeEvent): void {
    const before = this.#life;
    this.#life = nextLife(before, event);
    if (this.ended && this.#endedAt === null) {
      this.#endedAt = this.#context.now();
      this.#told();
    }
    if (this.#life.status !== before.status) this.#changed();
  }

  #changed(): void {
    this.#context.changed(this, "session");
    for (const listener of this.#listeners) listener();
    // An end may release the half of a character that was waited for.
    if (this.ended) this.#tab?.outputArrived();
  }

  async #removeScript(): Promise<void> {
    try {
      if (this.#script !== undefined) await this.#context.scripts.remove(this.#script);
    } catch (error) {
      // The folder goes with the bridge at the latest.
      this.#context.problem(`${this.id}: its script could not be removed: ${String(error)}`);
    }
  }
}

function isCut(command: string): boolean {
  return command.length > TERMINAL_LIMITS.shownCommandChars;
}

function shown(command: string): string {
  return isCut(command) ? `${command.slice(0, TERMINAL_LIMITS.shownCommandChars - 1)}…` : command;
}
