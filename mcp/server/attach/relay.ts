import type { IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { log } from "../log.ts";
import { NotTaken, TokenRefused, type AppLink } from "./app-link.ts";
import { CONNECTION_LOST, NOT_RUNNING, TOO_MANY, errorAnswer, failureAnswer } from "./failures.ts";
import { NoApp } from "./find-app.ts";
import { messagesOf } from "./http.ts";
import {
  hasId,
  isAnswerTo,
  isRequest,
  readMessage,
  statelessHeaders,
  statelessVersion,
  type Message,
  type MessageId,
} from "./message.ts";

/** Requests of one agent at a time. */
const MAX_UNDER_WAY = 256;
/** How often it is looked whether the app is back, in ms. */
const LOOK_EVERY_MS = 1_000;
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";
const TOOLS_CHANGED = "notifications/tools/list_changed";

interface RelayParts {
  readonly link: AppLink;
  /** Writes one message to the agent; resolves when there is room for the next. */
  write(text: string): Promise<void>;
  /** Nothing can go on. */
  onRefused(error: TokenRefused): void;
  /** Aborts when the agent has gone. */
  readonly ended: AbortSignal;
}

/**
 * Carries messages between an agent's stdio and the app's endpoint, as text, in either protocol era. It has no timeouts:
 * the app answers, or is gone. What the app did not take is sent again once; what it may have taken never is.
 */
export class Relay {
  readonly #parts: RelayParts;
  readonly #underWay = new Map<MessageId, AbortController>();
  #version: string | undefined;
  #listening = false;

  constructor(parts: RelayParts) {
    this.#parts = parts;
  }

  /** One line of the agent. Never rejects. */
  async take(line: string): Promise<void> {
    const message = readMessage(line);
    if (message === undefined) return this.#parts.write(errorAnswer(null, -32_700, "Parse error"));
    // The first message settles the era; a handshake after a failed probe settles it anew.
    const version = statelessVersion(message);
    if (message.routed.method === "initialize") this.#version = undefined;
    else if (version !== undefined) this.#version = version;
    try {
      await (isRequest(message) ? this.#request(message) : this.#notice(message));
    } catch (cause) {
      if (cause instanceof TokenRefused) this.#parts.onRefused(cause);
      else if (!this.#parts.ended.aborted) log(`a message was not passed on: ${String(cause)}`);
    }
  }

  async #request(message: Message): Promise<void> {
    const { id } = message.routed;
    if (!hasId(id)) return;
    if (this.#underWay.size >= MAX_UNDER_WAY) return this.#parts.write(failureAnswer(message, id, TOO_MANY));
    const given = new AbortController();
    this.#underWay.set(id, given);
    try {
      if (message.routed.method === "subscriptions/listen") await this.#subscribe(message, id, given.signal);
      else await this.#call(message, id, given.signal);
    } finally {
      if (this.#underWay.get(id) === given) this.#underWay.delete(id);
    }
  }

  async #call(message: Message, id: MessageId, signal: AbortSignal): Promise<void> {
    try {
      const answer = await this.#sendTwice(message, signal);
      if (await this.#pass(answer, message, id)) return;
    } catch (cause) {
      if (signal.aborted || this.#parts.ended.aborted) return; // whoever asked does not want to know
      if (cause instanceof TokenRefused) {
        await this.#parts.write(errorAnswer(id, -32_001, cause.message));
        throw cause;
      }
      const absent = cause instanceof NotTaken || cause instanceof NoApp;
      return this.#parts.write(failureAnswer(message, id, absent ? NOT_RUNNING : CONNECTION_LOST));
    }
    if (!signal.aborted) await this.#parts.write(failureAnswer(message, id, CONNECTION_LOST));
  }

  /** Only what was certainly not taken is sent again: to the app's new place, or in a new session. */
  async #sendTwice(message: Message, signal: AbortSignal): Promise<IncomingMessage> {
    try {
      return await this.#send(message, signal);
    } catch (cause) {
      if (!(cause instanceof NotTaken)) throw cause;
      return this.#send(message, signal);
    }
  }

  #send(message: Message, signal: AbortSignal): Promise<IncomingMessage> {
    const { link } = this.#parts;
    return this.#version === undefined
      ? link.inSession(message, signal)
      : link.stateless(message, statelessHeaders(message, this.#version), signal);
  }

  /** @returns whether the request's own answer was among what came */
  async #pass(answer: IncomingMessage, message: Message, id: MessageId): Promise<boolean> {
    let answered = false;
    for await (const text of messagesOf(answer)) {
      const said = readMessage(text);
      if (said === undefined) continue;
      if (message.routed.method === "initialize") this.#parts.link.noteHandshake(answer, said);
      // A refusal before the protocol names no request; it was this one.
      const refusal =
        said.routed.error !== undefined && !hasId(said.routed.id) ? said.routed.error : undefined;
      await this.#parts.write(
        refusal === undefined ? said.text : errorAnswer(id, refusal.code, refusal.message),
      );
      answered ||= refusal !== undefined || isAnswerTo(said, id);
    }
    return answered;
  }

  async #notice(message: Message): Promise<void> {
    const { method, params } = message.routed;
    const cancelled = method === "notifications/cancelled" ? params?.requestId : undefined;
    if (this.#version === undefined || cancelled === undefined) {
      const answer = await this.#sendTwice(message, this.#parts.ended);
      answer.resume();
    }
    // Over HTTP the stateless era cancels by going away; the handshake era has just been told, and will not answer.
    if (cancelled !== undefined) this.#underWay.get(cancelled)?.abort();
    if (method === "notifications/initialized" && !this.#listening) {
      this.#listening = true;
      void this.#listen(); // ends with the agent
    }
  }

  /** Handshake era: what the app says unasked, over restarts of the app. */
  async #listen(): Promise<void> {
    const { link, ended } = this.#parts;
    await this.#whileRunning(async (again) => {
      const stream = await link.listen(ended);
      if (stream === undefined) return false;
      // An app that has restarted may have other tools.
      if (again) await this.#parts.write(JSON.stringify({ jsonrpc: "2.0", method: TOOLS_CHANGED }));
      for await (const text of messagesOf(stream)) {
        const said = readMessage(text);
        if (said !== undefined) await this.#parts.write(said.text);
      }
      return true;
    }, ended);
  }

  /** Stateless era: the agent's own subscription, over restarts of the app. */
  async #subscribe(message: Message, id: MessageId, given: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([given, this.#parts.ended]);
    let meta: unknown;
    let subscribed = false;
    await this.#whileRunning(async (again) => {
      const stream = await this.#send(message, signal);
      for await (const text of messagesOf(stream)) {
        const said = readMessage(text);
        if (said === undefined) continue;
        // An app that quits ends its subscriptions in order; this one goes on with the next life of the app.
        if (subscribed && isAnswerTo(said, id)) return true;
        const acknowledged = said.routed.method === ACKNOWLEDGED;
        subscribed ||= acknowledged;
        if (acknowledged) meta ??= said.routed.params?._meta;
        if (!(acknowledged && again)) await this.#parts.write(said.text);
        else if (message.routed.params?.notifications?.toolsListChanged === true)
          await this.#parts.write(
            JSON.stringify({ jsonrpc: "2.0", method: TOOLS_CHANGED, params: { _meta: meta ?? {} } }),
          );
        if (isAnswerTo(said, id)) return false;
      }
      return true;
    }, signal);
  }

  /** Opens a stream, and again whenever it has ended, until it says that there is none or `signal` aborts. */
  async #whileRunning(open: (again: boolean) => Promise<boolean>, signal: AbortSignal): Promise<void> {
    let lost = false;
    for (let again = false; !signal.aborted; again = true) {
      try {
        if (!(await open(again))) return;
        lost = false;
      } catch (cause) {
        if (signal.aborted) return;
        if (cause instanceof TokenRefused) return this.#parts.onRefused(cause);
        if (!lost) log("Ironbridge is not there; waiting for it to come back");
        lost = true;
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => {
        // The agent has gone; the loop's condition says so.
      });
    }
  }
}
