import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

/** A tool as an application declares it to the engine. */
export interface DeclaredTool {
  readonly qualifiedName: string;
  readonly description: string;
  readonly inputSchemaJson: string;
}

/** An engine behind an application's registry of tools. */
export interface FrontedEngine {
  readonly url: string;
  /** What applications have registered now. */
  declared: readonly DeclaredTool[];
  /** Every call of a registered tool. */
  readonly invoked: unknown[];
  /** Nothing answers any more. */
  close(): Promise<void>;
}

const SERVICE = "/ironflow.v1.AgentToolsService/";

/**
 * Stands before a real engine and passes everything on to it, but answers for the tools of applications: what an
 * application registers with the engine, and does when the engine calls it back.
 */
export async function frontedEngine(engineUrl: string): Promise<FrontedEngine> {
  const { hostname, port, host } = new URL(engineUrl);
  const open = new Set<Socket>();
  const state = { declared: [] as readonly DeclaredTool[], invoked: [] as unknown[] };

  async function answerTools(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const isCall = incoming.url === `${SERVICE}InvokeTool`;
    if (isCall) state.invoked.push(JSON.parse(Buffer.concat(chunks).toString("utf8")));
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(isCall ? { output: { refunded: true } } : { tools: state.declared }));
  }

  function passOn(incoming: IncomingMessage, response: ServerResponse): void {
    const { method, url: path, headers } = incoming;
    const passed = request({ hostname, port, method, path, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    incoming.pipe(passed);
  }

  const server = createServer((incoming, response) => {
    if (incoming.url?.startsWith(SERVICE) !== true) return passOn(incoming, response);
    answerTools(incoming, response).catch(() => response.destroy());
  });
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
  });
  // The engine's news come over a WebSocket.
  server.on("upgrade", (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    const passed = connect(Number(port), hostname, () => {
      const headers = Object.entries({ ...incoming.headers, host }).map(
        ([name, value]) => `${name}: ${String(value)}`,
      );
      passed.write(`GET ${incoming.url} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`);
      passed.write(head);
      socket.pipe(passed).pipe(socket);
    });
    for (const [one, other] of [
      [socket, passed],
      [passed, socket],
    ] as const)
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get declared() {
      return state.declared;
    },
    set declared(tools) {
      state.declared = tools;
    },
    invoked: state.invoked,
    async close() {
      const closed = new Promise((done) => server.close(done));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
