import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { systemClock, within } from "./clock.ts";
import { connectionBook, type ConnectionBook } from "./connection-book.ts";
import { plainError, sendRefusal, type ErrorBody } from "./refusal.ts";
import { answerWireFaults } from "./wire-faults.ts";

/** An address, never a name: `localhost` may be two addresses, and a hosts file may point it elsewhere. */
export const LOOPBACK = "127.0.0.1";

export interface ListeningAt {
  port: number;
  /** `127.0.0.1:<port>`: the value that `Host` must have. */
  host: string;
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  url: string;
}

export interface LoopbackServer extends ListeningAt {
  server: Server;
  /**
   * From now on requests to upgrade go to `take`, which answers them; without it they are requests like any other. One
   * that comes while another request of its connection is under way is not taken: the answers would change places.
   */
  onUpgrade(take: UpgradeHandler): void;
  /**
   * Stops listening, lets answers that are under way finish for `closeWithinMs`, then cuts every connection, upgraded ones
   * included. Resolves once the server is closed; may be called more than once.
   */
  close(): Promise<void>;
}

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
export type UpgradeHandler = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface ListenOptions {
  /** A port, 0 for any free one (the default), or several of which the first free one is taken. */
  port?: number | readonly number[];
  /** Time a client has to send one whole request, in ms. Answers may take as long as they like. Default 60 s. */
  requestTimeoutMs?: number;
  /** How long an idle connection is kept for the next request, in ms. Default 60 s. */
  keepAliveMs?: number;
  /** Largest request line and headers together, in bytes. Default 16 KiB. */
  maxHeaderBytes?: number;
  /**
   * Default 256. One more makes the connection that has been without a request longest go; it is dropped itself when every
   * other has a request under way.
   */
  maxConnections?: number;
  /** How long `close` waits for answers that are under way, in ms. Default 2 s. */
  closeWithinMs?: number;
  /** The form of the errors that are answered without the handler. Default `{"error":"…"}`. */
  errorBody?: ErrorBody;
  /** Receives what a handler threw (its caller was answered 500 without details) and errors of the server itself. */
  onError?: (error: unknown) => void;
}

/** No wanted port was free. */
export class NoFreePort extends Error {
  override readonly name = "NoFreePort";
  readonly ports: readonly number[];
  constructor(ports: readonly number[], options?: ErrorOptions) {
    super(`no free port on ${LOOPBACK} among ${ports.join(", ")}`, options);
    this.ports = ports;
  }
}

const HEADERS_TIMEOUT_MS = 10_000;
/** How often Node looks for connections that are over their time. Its own default of 30 s makes 10 s mean 40 s. */
const TIMEOUT_CHECK_MS = 2_000;
const CLOSE_CHECK_MS = 25;

/**
 * Starts an HTTP server on 127.0.0.1. `handlerAt` gets the address, so that the handler's guard can know its own Host.
 * @throws NoFreePort when every wanted port is taken; any other error of listening as it came
 */
export async function listen(
  handlerAt: (at: ListeningAt) => RequestHandler,
  options: ListenOptions = {},
): Promise<LoopbackServer> {
  const { requestTimeoutMs = 60_000, errorBody = plainError, onError = () => {} } = options;
  const server = createServer({
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: options.keepAliveMs ?? 60_000,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    maxHeaderSize: options.maxHeaderBytes ?? 16 * 1024,
    // The guard does, and its refusal says so; Node's is empty.
    requireHostHeader: false,
  });
  // Node would drop further header lines without a word, while its parser obeys them. Their bytes are bounded anyway.
  server.maxHeadersCount = 0;
  const connections = connectionBook(options.maxConnections ?? 256);
  server.on("connection", (socket: Socket) => {
    connections.opened(socket);
  });

  const port = await bindFirst(server, typeof options.port === "object" ? options.port : [options.port ?? 0]);
  server.on("error", onError);
  const at: ListeningAt = { port, host: `${LOOPBACK}:${port}`, url: `http://${LOOPBACK}:${port}` };
  const handler = handlerAt(at);
  const faults = answerWireFaults(server, errorBody);
  const take = (request: IncomingMessage, response: ServerResponse) => {
    if (!faults.begins(request, response)) return;
    connections.busy(request.socket);
    response.once("close", () => {
      connections.free(request.socket);
    });
    void answer(handler, request, response, { errorBody, onError }); // never rejects
  };
  server.on("request", take);
  // What nobody knows how to meet is the guard's to refuse, behind Host, Origin and token; Node would not look at those.
  server.on("checkExpectation", take);

  let closing: Promise<void> | undefined;
  const close = () => (closing ??= closeServer(server, connections, options.closeWithinMs ?? 2_000));
  const onUpgrade = (take: UpgradeHandler) => {
    server.on("upgrade", (request, socket, head) => {
      if (!faults.mayUpgrade(request)) return;
      connections.busy(request.socket);
      take(request, socket, head);
    });
  };
  return { ...at, server, onUpgrade, close };
}

async function answer(
  handler: RequestHandler,
  request: IncomingMessage,
  response: ServerResponse,
  { errorBody, onError }: Required<Pick<ListenOptions, "errorBody" | "onError">>,
): Promise<void> {
  try {
    await handler(request, response);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else sendRefusal(request, response, { status: 500, headers: {} }, errorBody);
    onError(error);
  }
}

async function bindFirst(server: Server, ports: readonly number[]): Promise<number> {
  let taken: unknown;
  for (const port of ports) {
    try {
      return await bind(server, port);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
      taken = error;
    }
  }
  throw new NoFreePort(ports, { cause: taken });
}

function bind(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
      server.off("error", reject);
      // A listening TCP server has an AddressInfo; the other types belong to pipes.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function closeServer(
  server: Server,
  connections: ConnectionBook,
  closeWithinMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  const deadlineMs = systemClock.nowMs() + closeWithinMs;
  do {
    // Again and again: a connection whose answer has just ended is idle only now.
    server.closeIdleConnections();
    if (await within(closed, Math.min(CLOSE_CHECK_MS, closeWithinMs), systemClock)) return;
  } while (systemClock.nowMs() < deadlineMs);
  connections.cutAll();
  await closed;
}
