import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type StubRequest = {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
};

/** What a route answers: a value is sent as JSON with status 200; a function writes the response itself. */
export type StubAnswer =
  | {
      readonly status?: number;
      readonly headers?: Record<string, string>;
      readonly json?: unknown;
      readonly text?: string;
    }
  | ((response: ServerResponse) => void);

export type StubRoute = (request: StubRequest) => StubAnswer;

export type StubEngine = {
  readonly url: string;
  /** For upgrades; a stub refuses them unless a test listens. */
  readonly server: Server;
  /** Every request in order. */
  readonly requests: StubRequest[];
  /** Keys are `METHOD path`; `*` at the end matches the rest. A missing one answers 404 as Go's router does. */
  readonly routes: Record<string, StubRoute>;
  close(): Promise<void>;
};

/** An HTTP server on loopback that plays an engine: what the tests say it answers, and nothing else. */
export async function stubEngine(routes: Record<string, StubRoute>, at = 0): Promise<StubEngine> {
  const requests: StubRequest[] = [];
  const own = { ...routes };
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const url = new URL(incoming.url ?? "/", "http://stub");
      const text = Buffer.concat(chunks).toString("utf8");
      const request: StubRequest = {
        method: incoming.method ?? "",
        path: url.pathname,
        query: url.searchParams,
        headers: incoming.headers,
        body: text === "" ? undefined : JSON.parse(text),
      };
      requests.push(request);
      send(response, find(own, request)?.(request) ?? { status: 404, text: "404 page not found\n" });
    });
  });
  await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    server,
    requests,
    routes: own,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function find(routes: Record<string, StubRoute>, request: StubRequest): StubRoute | undefined {
  const exact = routes[`${request.method} ${request.path}`];
  if (exact !== undefined) return exact;
  const prefix = Object.keys(routes).find(
    (key) => key.endsWith("*") && `${request.method} ${request.path}`.startsWith(key.slice(0, -1)),
  );
  return prefix === undefined ? undefined : routes[prefix];
}

function send(response: ServerResponse, answer: StubAnswer): void {
  if (typeof answer === "function") return answer(response);
  const isText = answer.text !== undefined;
  response.writeHead(answer.status ?? 200, {
    "content-type": isText ? "text/plain" : "application/json",
    ...answer.headers,
  });
  response.end(isText ? answer.text : JSON.stringify(answer.json ?? {}));
}
