import type { IncomingMessage } from "node:http";
import { findApp, type RunningApp } from "./find-app.ts";
import { exchange, messagesOf, NoAnswer, readAll } from "./http.ts";
import { readMessage, type Message } from "./message.ts";

const ACCEPT = "application/json, text/event-stream";

/** The app will not have this token. The message is one sentence. */
export class TokenRefused extends Error {
  override readonly name = "TokenRefused";
}

/** Nothing of the request was done, so it may be sent again once the app is there. */
export class NotTaken extends Error {
  override readonly name = "NotTaken";
}

interface Session {
  readonly id: string;
  readonly version: string;
}

/** The way to the app: where it runs now, and in the handshake era the session there, made again after a restart. */
export class AppLink {
  readonly #connectionFile: string;
  readonly #token: string;
  readonly #ended: AbortSignal;
  #app: RunningApp | undefined;
  #handshake: { readonly initialize: Message; initialized: Message | undefined } | undefined;
  #session: Session | undefined;
  #renewing: Promise<Session> | undefined;

  constructor(connectionFile: string, token: string, ended: AbortSignal) {
    this.#connectionFile = connectionFile;
    this.#token = token;
    this.#ended = ended;
  }

  /** Looks whether there is an app that takes the token. @throws NoApp, TokenRefused, NoAnswer */
  async check(): Promise<void> {
    const { url } = (this.#app = await findApp(this.#connectionFile));
    const answer = await exchange({
      url,
      method: "GET",
      headers: this.#headers({ accept: ACCEPT }),
      signal: this.#ended,
    });
    answer.resume();
    assertAccepted(answer.statusCode);
  }

  /** Sends a message of the stateless era. @throws NoApp, NotTaken, TokenRefused, NoAnswer */
  async stateless(
    message: Message,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    return this.#send("POST", headers, signal, message.text);
  }

  /** Sends a message of the handshake era, in a session. @throws like `stateless` */
  async inSession(message: Message, signal: AbortSignal): Promise<IncomingMessage> {
    if (message.routed.method === "initialize") return this.#initialize(message, signal);
    const session = await this.#current();
    const answer = await this.#send("POST", sessionHeaders(session), signal, message.text);
    if (answer.statusCode === 404) this.#lost(session, answer);
    if (message.routed.method === "notifications/initialized" && this.#handshake !== undefined)
      this.#handshake.initialized = message;
    return answer;
  }

  /** The stream on which the app speaks unasked; undefined where it has none. @throws like `stateless` */
  async listen(signal: AbortSignal): Promise<IncomingMessage | undefined> {
    const session = await this.#current();
    const answer = await this.#send("GET", sessionHeaders(session), signal);
    if (answer.statusCode === 404) this.#lost(session, answer);
    if (answer.statusCode === 200) return answer;
    answer.resume();
    if (answer.statusCode === 405) return undefined;
    throw new NotTaken(`the stream was answered ${answer.statusCode ?? 0}`);
  }

  /** Lets the app forget the session; what goes wrong with that is not worth waiting for. */
  async goodbye(signal: AbortSignal): Promise<void> {
    const session = this.#session;
    if (session === undefined || this.#app === undefined) return;
    const headers = this.#headers(sessionHeaders(session));
    const answer = await exchange({ url: this.#app.url, method: "DELETE", headers, signal });
    answer.resume();
  }

  async #initialize(message: Message, signal: AbortSignal): Promise<IncomingMessage> {
    this.#session = undefined;
    this.#handshake = { initialize: message, initialized: undefined };
    return this.#send("POST", {}, signal, message.text);
  }

  /** The handshake's answer, as it goes to the agent, says which session and revision hold from now on. */
  noteHandshake(answer: IncomingMessage, said: Message): void {
    const id = answer.headers["mcp-session-id"];
    const version = said.routed.result?.protocolVersion;
    if (typeof id === "string" && version !== undefined) this.#session = { id, version };
  }

  async #current(): Promise<Session> {
    if (this.#session !== undefined) return this.#session;
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  /** Shakes hands again in the agent's own words, which the agent does not notice. */
  async #renew(): Promise<Session> {
    const { initialize, initialized } = this.#handshake ?? {};
    if (initialize === undefined) throw new NotTaken("a message before the handshake");
    const answer = await this.#send("POST", {}, this.#ended, initialize.text);
    for await (const text of messagesOf(answer)) {
      const said = readMessage(text);
      if (said !== undefined) this.noteHandshake(answer, said);
    }
    const session: Session | undefined = this.#session;
    if (session === undefined) throw new NotTaken("the app did not agree to a new session");
    if (initialized !== undefined) {
      const noted = await this.#send("POST", sessionHeaders(session), this.#ended, initialized.text);
      noted.resume();
    }
    return session;
  }

  #lost(session: Session, answer: IncomingMessage): never {
    answer.resume();
    if (this.#session === session) this.#session = undefined;
    throw new NotTaken("the session is over");
  }

  async #send(
    method: "GET" | "POST",
    headers: Record<string, string>,
    signal: AbortSignal,
    body?: string,
  ): Promise<IncomingMessage> {
    const { url } = (this.#app ??= await findApp(this.#connectionFile));
    try {
      const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
      const answer = await exchange({
        url,
        method,
        headers: this.#headers({ accept: ACCEPT, ...type, ...headers }),
        signal: AbortSignal.any([signal, this.#ended]),
        ...(body === undefined ? {} : { body }),
      });
      if (answer.statusCode === 401 || answer.statusCode === 403) await readAll(answer);
      assertAccepted(answer.statusCode);
      return answer;
    } catch (cause) {
      if (!(cause instanceof NoAnswer) || signal.aborted) throw cause; // a cancelled call says nothing of the app
      // It may be back on another port, and its sessions are gone with it.
      this.#app = undefined;
      this.#session = undefined;
      if (cause.taken) throw cause;
      throw new NotTaken("the app is not there", { cause });
    }
  }

  #headers(more: Record<string, string>): Record<string, string> {
    return { ...more, authorization: `Bearer ${this.#token}` };
  }
}

const sessionHeaders = ({ id, version }: Session): Record<string, string> => ({
  "mcp-session-id": id,
  "mcp-protocol-version": version,
});

function assertAccepted(status: number | undefined): void {
  if (status === 401)
    throw new TokenRefused(
      "Ironbridge does not know the token in IRONBRIDGE_TOKEN: make one for this agent in the app, on the page Agents.",
    );
  if (status === 403)
    throw new TokenRefused(
      "Ironbridge refuses the token in IRONBRIDGE_TOKEN: it lacks the permission mcp.call; make another one in the app, on the page Agents.",
    );
}
