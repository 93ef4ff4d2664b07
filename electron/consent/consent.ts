import { randomBytes, randomUUID } from "node:crypto";
import type { Clock } from "../../loopback/clock.ts";
import type { ConsentOutcome, ToolError } from "../../mcp/contract/errors.ts";
import type { ToolRow } from "../../mcp/contract/tool-row.ts";
import { EXPIRES_MS, type Question } from "../contract/consent.ts";
import { grants, auditUser, USER, type Caller } from "../mcp-endpoint/permissions.ts";
import { argumentRows, lengthToShow } from "./argument-rows.ts";
import { keyedDigest } from "./canonical.ts";
import { TOO_MANY_QUESTIONS, refusal } from "./outcomes.ts";
import { previewCall } from "./preview.ts";
import type { ReadTool } from "./previews/read-target.ts";
import { questionQueue, type QuestionQueue } from "./queue.ts";
import type { WaitingCall } from "./terminal-policy.ts";
import { waitingRows } from "./terminal-preview.ts";
import { shown, shownTime } from "./visible.ts";

/** A question as it is made; its place in the queue is added when it is shown. */
export type AskedQuestion = Omit<Question, "position" | "waiting" | "goes_with">;

/** Rounds of asking anew because the target changed; after that the caller is told. */
const MAX_ROUNDS = 3;

/** An X11 desktop lets every program send keys and clicks; no app there can tell them from a person's. */
const CAN_IMITATE =
  "It may run commands on this computer, and a command can imitate your keys and clicks: keep an eye on its terminals.";

export interface CallToAsk {
  /** Ties the question's records to the call's own. */
  readonly callId: string;
  readonly caller: Caller;
  readonly claim: string | undefined;
  readonly row: ToolRow;
  readonly args: Record<string, unknown>;
  readonly engine: {
    readonly connection: string;
    readonly name: string;
    readonly url: string;
    readonly kind: "embedded" | "remote";
  };
  readonly signal: AbortSignal;
  readonly read: ReadTool;
  /** Where the caller may not be there when the person answers. */
  readonly attendance?: Attendance | undefined;
  /** Calls that wait for this answer and go with a yes, now. */
  readonly waiting?: (() => readonly WaitingCall[]) | undefined;
  /** Called when the person wants this answer remembered. Without it they are not offered that. */
  readonly onRemember?: (() => void) | undefined;
}

/** Whether a caller is there to take its approval. */
export interface Attendance {
  /** True once a request waits for the answer; false when none has come by the deadline (the clock's ms). */
  arrived(deadlineMs: number): Promise<boolean>;
  /** An approval was not good any more: the person is asked again, and the caller may have to wait again. */
  askedAnew(): void;
}

export interface RightsToAsk {
  readonly title: string;
  readonly consequence: string;
  readonly details: readonly { readonly label: string; readonly text: string; readonly is?: "time" }[];
  readonly effects: readonly string[];
  /** Where it is about one. */
  readonly engine?: Question["engine"];
  readonly signal: AbortSignal;
}

/** Approved once, for exactly this call, now; or why not. */
export type Answer = { readonly approved: true } | { readonly approved: false; readonly error: ToolError };

export interface ConsentRecord {
  readonly event: "asked" | "remembered" | ConsentOutcome;
  /** Ties a question to its outcome. */
  readonly questionId: string;
  readonly user: string;
  /** Of the call that was asked about; none for a question about rights. */
  readonly callId?: string;
  readonly tool: string;
  /** Keyed digest of caller, engine, tool, arguments and target. */
  readonly digest: string;
}

export interface Consent {
  readonly queue: QuestionQueue<AskedQuestion>;
  /** The question on top as its window shows it. */
  current(): Question | null;
  /** What goes with a question's answer may be other calls now: who is about to answer reads them first. */
  waitingChanged(): void;
  askCall(call: CallToAsk): Promise<Answer>;
  askRights(rights: RightsToAsk): Promise<Answer>;
}

export interface ConsentOptions {
  readonly clock: Clock;
  readonly now: () => Date;
  /** In which the person wants times. */
  readonly timeZone: () => Question["time_zone"];
  /** May only shorten the time a question waits. */
  readonly expiresAfterMs?: number | undefined;
  readonly onChanged: () => void;
  /** On disk before the outcome is acted on. Must not reject. */
  readonly record: (record: ConsentRecord) => Promise<void>;
}

/** Asks the person, and nobody else. What it hands back is good for the one call that asked, at once. */
export function createConsent(options: ConsentOptions): Consent {
  const queue = questionQueue<AskedQuestion>(options.clock, options.onChanged);
  const key = randomBytes(32);
  /** By question: what goes with its answer. */
  const together = new Map<string, () => readonly WaitingCall[]>();
  /** What went with the question on top when that was last looked at. */
  let seen = { id: "", text: "[]" };
  const waitMs = Math.min(options.expiresAfterMs ?? EXPIRES_MS, EXPIRES_MS);

  function times() {
    const askedMs = options.now().getTime();
    return {
      asked_at: new Date(askedMs).toISOString(),
      expires_at: new Date(askedMs + waitMs).toISOString(),
    };
  }

  async function ask(
    question: AskedQuestion,
    about: Omit<ConsentRecord, "event">,
    signal: AbortSignal,
    onRemember?: () => void,
  ): Promise<ConsentOutcome | "full"> {
    if (!queue.hasRoom(about.user)) return "full";
    await options.record({ event: "asked", ...about });
    const outcome = await queue.ask({
      id: question.question_id,
      caller: about.user,
      question,
      signal,
      onRemember,
      expiresAfterMs: waitMs,
      first: question.asked_again,
    });
    if (outcome !== "full") await options.record({ event: outcome, ...about });
    // The caller may have gone while the record was written.
    return outcome === "approved" && signal.aborted ? "caller_gone" : outcome;
  }

  async function askCall(call: CallToAsk): Promise<Answer> {
    const { caller, row, args, engine, signal } = call;
    for (let round = 1; ; round += 1) {
      const result = await previewCall(row, args, call.read);
      if ("error" in result) return refuse(round === 1 ? result.error : unreadNow(result.error));
      const { watched, told = [], ...preview } = result.preview;
      const subject = {
        caller: auditUser(caller),
        engine: [engine.connection, engine.url],
        tool: row.name,
        args,
      };
      const digest = keyedDigest(key, { ...subject, watched });
      const questionId = randomUUID();
      const about = { questionId, user: auditUser(caller), callId: call.callId, tool: row.name, digest };
      const mayRemember = row.risk === "destructive" && call.onRemember !== undefined;
      let remembered = false;
      const remember = () => {
        remembered = true;
        call.onRemember?.();
      };
      const deadlineMs = options.clock.nowMs() + waitMs;
      if (call.waiting !== undefined) together.set(questionId, call.waiting);
      const outcome = await ask(
        {
          question_id: questionId,
          kind: row.mode === "terminal" ? "command" : "tool",
          ...preview,
          risk: row.risk,
          tool: row.name,
          caller: shownCaller(caller, call.claim),
          engine: { name: engine.name, url: engine.url, kind: engine.kind },
          arguments: argumentRows(args, told),
          time_zone: options.timeZone(),
          ...times(),
          may_remember: mayRemember,
          asked_again: round > 1,
        },
        about,
        signal,
        mayRemember ? remember : undefined,
      ).finally(() => together.delete(questionId));
      if (outcome === "full") return refuse(TOO_MANY_QUESTIONS);
      if (outcome !== "approved") return refuse(refusal(outcome));
      if (remembered) await options.record({ event: "remembered", ...about });
      if (call.attendance !== undefined && !(await call.attendance.arrived(deadlineMs))) {
        const over = signal.aborted ? "caller_gone" : "expired";
        await options.record({ event: over, ...about });
        return refuse(refusal(over));
      }
      const now = await previewCall(row, args, call.read);
      if (signal.aborted) return refuse(refusal("caller_gone"));
      if (options.clock.nowMs() >= deadlineMs) {
        // Reading took its time: an approval is good for five minutes, not for longer.
        await options.record({ event: "expired", ...about });
        return refuse(refusal("expired"));
      }
      const same =
        "preview" in now && keyedDigest(key, { ...subject, watched: now.preview.watched }) === digest;
      if (same) return { approved: true };
      const error = "error" in now ? unreadNow(now.error) : refusal("target_changed");
      if ("error" in now || round === MAX_ROUNDS) {
        if (error.reason === "target_changed") await options.record({ event: "target_changed", ...about });
        return refuse(error);
      }
      call.attendance?.askedAnew();
    }
  }

  function goesWith(): Question["goes_with"] {
    return waitingRows(together.get(queue.top?.id ?? "")?.() ?? []);
  }

  return {
    queue,
    current() {
      const top = queue.top;
      if (top === undefined) return null;
      return { ...top.question, position: 1, waiting: queue.count, goes_with: goesWith() };
    },
    waitingChanged() {
      const id = queue.top?.id ?? "";
      const before = seen.id === id ? seen.text : "[]";
      seen = { id, text: JSON.stringify(goesWith()) };
      if (seen.text === before) return;
      queue.presented();
      options.onChanged();
    },
    async askCall(call) {
      const length = lengthToShow(call.args);
      return typeof length === "number" ? askCall(call) : refuse(length);
    },
    async askRights(rights) {
      const questionId = randomUUID();
      const details = rights.details.map(({ label, text, is }) =>
        is === "time" ? shownTime(label, text) : shown(label, text),
      );
      const outcome = await ask(
        {
          question_id: questionId,
          kind: "rights",
          title: rights.title,
          consequence: rights.consequence,
          risk: "write",
          caller: { name: "You, in the app" },
          ...(rights.engine === undefined ? {} : { engine: rights.engine }),
          arguments: details,
          target: [],
          effects: [...rights.effects],
          not_reached: [],
          time_zone: options.timeZone(),
          ...times(),
          may_remember: false,
          asked_again: false,
        },
        {
          questionId,
          user: auditUser(USER),
          tool: rights.title,
          digest: keyedDigest(key, { title: rights.title, engine: rights.engine ?? null, details }),
        },
        rights.signal,
      );
      if (outcome === "approved") return { approved: true };
      return refuse(outcome === "full" ? TOO_MANY_QUESTIONS : refusal(outcome));
    },
  };
}

function shownCaller(caller: Caller, claim: string | undefined): Question["caller"] {
  if (caller.kind === "user") return { name: "You, in the app" };
  return {
    name: caller.name,
    ...(claim === undefined ? {} : { claim: shown("claim", claim).text }),
    ...(grants(caller.permissions, "mcp.terminal") ? { caution: CAN_IMITATE } : {}),
  };
}

/** A target that is gone has changed; one that cannot be read just now may be as it was. */
const unreadNow = (error: ToolError): ToolError =>
  error.code === "not_found" ? refusal("target_changed") : error;

const refuse = (error: ToolError): Answer => ({ approved: false, error });
