import {
  Client,
  SdkError,
  SdkErrorCode,
  type CallToolResult,
  type Progress,
  type Tool,
} from "@modelcontextprotocol/client";
import { StdioError, type StdioExit } from "./stdio-error.ts";
import { StdioTransport, type StdioOptions } from "./stdio.ts";

export const SESSION_LIMITS = {
  handshakeMs: 15_000,
  /** A call that names no timeout. */
  callMs: 60_000,
} as const;

export type SessionOptions = StdioOptions & {
  /** How we introduce ourselves. */
  readonly clientInfo: { readonly name: string; readonly version: string };
  /** Default `SESSION_LIMITS.handshakeMs`. */
  readonly handshakeTimeoutMs?: number;
  /** Aborting ends a server that has not shaken hands yet; it means nothing to a session that has come about. */
  readonly signal?: AbortSignal;
};

export type CallOptions = {
  /** Aborting rejects with `cancelled` and tells the server, which then stops working on it. */
  readonly signal?: AbortSignal;
  /** Milliseconds; default `SESSION_LIMITS.callMs`. */
  readonly timeoutMs?: number;
  /** Asks the server for progress, and hears of it. */
  readonly onProgress?: (progress: Progress) => void;
  /** Goes along as the request's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
};

export type CallProblem =
  | "cancelled"
  | "timed-out"
  /** The server is gone; whether it did what was asked is not known. */
  | "connection-lost"
  /** The server refused the request itself: unknown tool, unknown resource, bad parameters. */
  | "refused";

/** A request that got no result. A tool's own failure is a result with `isError`, not one of these. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly problem: CallProblem;

  constructor(problem: CallProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

/** How a session came to its end. `expected` is true when this side closed it. */
export type SessionEnd = {
  readonly expected: boolean;
  readonly reason: string;
  readonly exit: StdioExit | undefined;
  readonly stderrTail: string;
};

/**
 * An MCP session with a stdio server that this side starts and ends. It speaks the handshake revisions and declares no
 * capability at all: nobody is ever asked anything through it. Results come as the server sent them; `tools/list` is never
 * used to validate, so a server's own schema mistakes do not hide its answers.
 */
export class McpSession {
  readonly #client: Client;
  readonly #transport: StdioTransport;
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #toolListeners = new Set<() => void>();
  readonly #ended: Promise<SessionEnd>;
  #expected = false;

  private constructor(client: Client, transport: StdioTransport) {
    this.#client = client;
    this.#transport = transport;
    this.#ended = new Promise((resolve) => {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no event target
      client.onclose = () => void this.#afterClose().then(resolve);
    });
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      for (const listener of this.#listeners.get(params.uri) ?? []) listener();
    });
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      for (const listener of this.#toolListeners) listener();
    });
  }

  /**
   * Starts the server and shakes hands. When that fails nothing is left running.
   * @throws StdioError with the exit and the end of stderr, or CallError `timed-out`, `cancelled`, `refused`
   */
  static async connect(options: SessionOptions): Promise<McpSession> {
    const transport = new StdioTransport(options);
    const client = new Client(
      { name: options.clientInfo.name, version: options.clientInfo.version },
      { capabilities: {}, versionNegotiation: { mode: "legacy" } },
    );
    // The SDK reports stray answers and malformed lines here; both are counted and bounded by the transport.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no event target
    client.onerror = () => {};
    const session = new McpSession(client, transport);
    try {
      await handshake(client, transport, options);
    } catch (error) {
      const lost = transport.closeReason;
      session.#expected = true;
      await transport.close();
      throw lost ?? (error instanceof StdioError ? error : toCallError(error, options.signal, undefined));
    }
    return session;
  }

  get pid(): number | null {
    return this.#transport.pid;
  }

  /** Name and version as the server gives them. */
  get serverInfo(): { readonly name: string; readonly version: string } | undefined {
    return this.#client.getServerVersion();
  }

  /** Resolves once the session is over and its process's exit was seen (or could not be). Never rejects. */
  get ended(): Promise<SessionEnd> {
    return this.#ended;
  }

  /** The end of what the server has written to stderr so far. */
  get stderrTail(): string {
    return this.#transport.stderrTail;
  }

  /** @throws CallError */
  callTool(
    name: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions = {},
  ): Promise<CallToolResult> {
    const params = { name, arguments: { ...args }, ...metaOf(options) };
    // Not client.callTool: once tools were listed, that one would replace a result by its own opinion of the schema.
    return this.#request(options, (sdk) => this.#client.request({ method: "tools/call", params }, sdk));
  }

  /** Every tool, over all pages. @throws CallError */
  async listTools(options: CallOptions = {}): Promise<Tool[]> {
    const { tools } = await this.#request(options, (sdk) => this.#client.listTools(undefined, sdk));
    return tools;
  }

  /**
   * Calls `listener` whenever the server says that its list of tools changed.
   * @returns takes the listener away again
   */
  onToolsChanged(listener: () => void): () => void {
    this.#toolListeners.add(listener);
    return () => void this.#toolListeners.delete(listener);
  }

  /** The first text of a resource. @throws CallError, also `refused` for a resource without text */
  async readText(uri: string, options: CallOptions = {}): Promise<string> {
    const { contents } = await this.#request(options, (sdk) => this.#client.readResource({ uri }, sdk));
    for (const content of contents) if ("text" in content) return content.text;
    throw new CallError("refused", `the resource ${uri} has no text`);
  }

  /**
   * Calls `listener` whenever the server says that the resource changed. Resolves once the server has agreed.
   * @returns takes the listener away again; the server's subscription stays until the session ends
   * @throws CallError
   */
  async onResourceUpdated(uri: string, listener: () => void, options: CallOptions = {}): Promise<() => void> {
    const known = this.#listeners.get(uri);
    const listeners = known ?? new Set();
    // Before the request: an update may come right behind its answer.
    this.#listeners.set(uri, listeners.add(listener));
    const remove = () => void listeners.delete(listener);
    try {
      if (known === undefined)
        await this.#request(options, (sdk) => this.#client.subscribeResource({ uri }, sdk));
    } catch (error) {
      remove();
      if (listeners.size === 0) this.#listeners.delete(uri);
      throw error;
    }
    return remove;
  }

  /** Ends the server by the stop ladder. Resolves when its exit was seen, or the ladder is at its end. */
  async close(): Promise<void> {
    this.#expected = true;
    await this.#transport.close();
    await this.#ended;
  }

  /** For a quit that cannot wait. */
  killNow(): void {
    this.#expected = true;
    this.#transport.killNow();
  }

  async #request<T>(
    options: CallOptions,
    send: (sdk: {
      timeout: number;
      signal?: AbortSignal;
      onprogress?: (progress: Progress) => void;
    }) => Promise<T>,
  ): Promise<T> {
    const { signal, onProgress, timeoutMs = SESSION_LIMITS.callMs } = options;
    try {
      return await send({
        timeout: timeoutMs,
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined ? {} : { onprogress: onProgress }),
      });
    } catch (error) {
      throw toCallError(error, signal, this.#transport.closeReason);
    }
  }

  /** The connection is over; the process may not be: its exit is awaited here, whoever ended it. */
  async #afterClose(): Promise<SessionEnd> {
    const reason = this.#transport.closeReason;
    await this.#transport.close();
    return {
      expected: this.#expected,
      reason: reason?.message ?? "the connection to the tool server is over",
      exit: this.#transport.exit,
      stderrTail: this.#transport.stderrTail,
    };
  }
}

/** The SDK's own signal would go on to watch over the session. */
async function handshake(client: Client, transport: StdioTransport, options: SessionOptions): Promise<void> {
  const { signal, handshakeTimeoutMs = SESSION_LIMITS.handshakeMs } = options;
  const over = new AbortController();
  const abort = () => over.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  if (signal?.aborted === true) abort();
  try {
    await client.connect(transport, { timeout: handshakeTimeoutMs, signal: over.signal });
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}

function metaOf(options: CallOptions): { _meta?: Record<string, unknown> } {
  return options.meta === undefined ? {} : { _meta: { ...options.meta } };
}

/** The SDK uses one code for a caller's abort and for a timeout; the caller's own signal tells them apart. */
function toCallError(
  error: unknown,
  signal: AbortSignal | undefined,
  lost: StdioError | undefined,
): CallError {
  if (error instanceof CallError) return error;
  if (lost !== undefined) return new CallError("connection-lost", lost.message, { cause: lost });
  if (signal?.aborted === true) return new CallError("cancelled", "the call was cancelled", { cause: error });
  if (error instanceof StdioError) return new CallError("connection-lost", error.message, { cause: error });
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout)
    return new CallError("timed-out", "the tool server did not answer in time", { cause: error });
  if (error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed)
    return new CallError("connection-lost", error.message, { cause: error });
  return new CallError("refused", error instanceof Error ? error.message : String(error), { cause: error });
}
