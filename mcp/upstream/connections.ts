import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest, type RequestOptions } from "node:https";
import type { Duplex } from "node:stream";
import * as tls from "node:tls";
import { ProxyProblem, proxyAuthorization, proxyFor } from "./proxy.ts";
import { trustedRoots } from "./trust.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** An idle connection is closed after this, before common servers do it at the moment of the next call. */
const IDLE_MS = 4_000;
/** How long a proxy may take to open a way. */
const TUNNEL_MS = 10_000;

export type Outgoing = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
  /**
   * Over a connection of its own: one that was kept may be closed at the other end just now, and then nobody knows whether
   * a call over it was seen.
   */
  readonly fresh: boolean;
};

/**
 * Connections to servers: the system's certificate roots, `NODE_EXTRA_CA_CERTS`, and the proxies that the environment names.
 * One for the whole process. No redirects are followed, and no answer is decompressed.
 */
export class Connections {
  readonly #env: Env;
  readonly #warn: (text: string) => void;
  readonly #plain = new HttpAgent({ keepAlive: true, timeout: IDLE_MS });
  readonly #agents = new Map<string, HttpsAgent>();
  #secureContext: tls.SecureContext | undefined;

  constructor(env: Env, warn: (text: string) => void) {
    this.#env = env;
    this.#warn = warn;
  }

  /**
   * Sends one request and gives the answer as soon as its head is there; its body is a stream that the caller has to read or
   * destroy.
   * @throws ProxyProblem, or the error of the connection
   */
  send(url: URL, { method, headers, body, signal, fresh }: Outgoing): Promise<IncomingMessage> {
    const proxy = proxyFor(url, this.#env);
    const options: RequestOptions = { method, headers: { ...headers }, signal };
    const secure = url.protocol === "https:";
    const agent = secure ? this.#secureAgent(proxy, fresh) : fresh ? false : this.#plain;
    return new Promise((resolve, reject) => {
      const request =
        !secure && proxy !== undefined
          ? viaProxy(url, proxy, { method, signal, agent: fresh ? false : undefined }, headers)
          : (secure ? httpsRequest : httpRequest)(url, { ...options, agent });
      request.once("response", (answer: IncomingMessage) => {
        if (proxy === undefined || answer.statusCode !== 407) return resolve(answer);
        answer.destroy();
        reject(refusal(proxy, 407));
      });
      request.on("error", reject);
      request.end(body);
    });
  }

  /** For a WebSocket; undefined where it would need a proxy that cannot carry it. @throws ProxyProblem */
  webSocketAgent(url: URL): HttpAgent | HttpsAgent | undefined {
    const proxy = proxyFor(url, this.#env);
    if (url.protocol === "https:") return this.#secureAgent(proxy, true);
    return proxy === undefined ? new HttpAgent() : undefined;
  }

  #secureAgent(proxy: URL | undefined, fresh: boolean): HttpsAgent {
    const key = `${fresh} ${proxy?.href ?? ""}`;
    const known = this.#agents.get(key);
    if (known !== undefined) return known;
    const context = (this.#secureContext ??= tls.createSecureContext({
      ca: trustedRoots(this.#env, this.#warn),
    }));
    const options = { keepAlive: !fresh, timeout: IDLE_MS, secureContext: context };
    const agent = proxy === undefined ? new HttpsAgent(options) : new TunnelAgent(proxy, options);
    this.#agents.set(key, agent);
    return agent;
  }
}

/** To a plain server the proxy is asked with the whole address. */
function viaProxy(url: URL, proxy: URL, options: RequestOptions, headers: Outgoing["headers"]) {
  const authorization = proxyAuthorization(proxy);
  return (proxy.protocol === "https:" ? httpsRequest : httpRequest)({
    ...options,
    ...addressOf(proxy),
    path: url.href,
    headers: {
      ...headers,
      host: url.host,
      ...(authorization === undefined ? {} : { "proxy-authorization": authorization }),
    },
  });
}

const addressOf = (proxy: URL) => ({
  host: proxy.hostname.replace(/^\[|\]$/g, ""),
  port: proxy.port === "" ? (proxy.protocol === "https:" ? 443 : 80) : Number(proxy.port),
});

/** To a server over TLS the proxy opens a way with CONNECT, and sees nothing of what goes through it. */
class TunnelAgent extends HttpsAgent {
  readonly #proxy: URL;
  constructor(proxy: URL, options: ConstructorParameters<typeof HttpsAgent>[0]) {
    super(options);
    this.#proxy = proxy;
  }

  override createConnection(
    options: RequestOptions,
    done?: (error: Error | null, stream: Duplex) => void,
  ): Duplex | null | undefined {
    const host = options.host ?? options.hostname ?? "";
    openTunnel(this.#proxy, `${host}:${options.port ?? 443}`, (problem, socket) => {
      if (socket === undefined) {
        done?.(problem, undefined as unknown as Duplex); // Node looks at the error first
        return;
      }
      // What `https` passes on for the connection itself belongs to the way to the proxy.
      const { host: _host, port: _port, path: _path, ...secure } = options as tls.ConnectionOptions;
      done?.(null, tls.connect({ ...secure, socket, servername: options.servername ?? host }));
    });
    return undefined;
  }
}

type TunnelDone = (problem: ProxyProblem | null, socket?: Duplex) => void;

function openTunnel(proxy: URL, target: string, done: TunnelDone): void {
  const authorization = proxyAuthorization(proxy);
  const request = (proxy.protocol === "https:" ? httpsRequest : httpRequest)({
    ...addressOf(proxy),
    method: "CONNECT",
    path: target,
    headers: {
      host: target,
      ...(authorization === undefined ? {} : { "proxy-authorization": authorization }),
    },
    agent: false,
    timeout: TUNNEL_MS,
  });
  request.once("connect", (answer, socket) => {
    if (answer.statusCode === 200) return done(null, socket);
    socket.destroy();
    done(refusal(proxy, answer.statusCode ?? 0));
  });
  request.once("response", (answer) => {
    answer.destroy();
    done(refusal(proxy, answer.statusCode ?? 0));
  });
  request.once("timeout", () =>
    request.destroy(new ProxyProblem(`the proxy at ${proxy.host} does not answer`)),
  );
  request.on("error", (error) => done(asProblem(proxy, error)));
  request.end();
}

function asProblem(proxy: URL, error: Error): ProxyProblem {
  if (error instanceof ProxyProblem) return error;
  const code = (error as NodeJS.ErrnoException).code ?? "connection failed";
  return new ProxyProblem(`the proxy at ${proxy.host} cannot be reached (${code})`, { cause: error });
}

const refusal = (proxy: URL, status: number): ProxyProblem =>
  new ProxyProblem(
    status === 407
      ? `the proxy at ${proxy.host} wants a name and password (HTTP 407)`
      : `the proxy at ${proxy.host} did not let the call through (HTTP ${status})`,
  );
