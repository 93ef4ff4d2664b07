import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface HoldingProxy {
  readonly url: string;
  /** How often something with the mark came, on its way to the engine. */
  readonly seen: number;
  /** Lets what was held go on. Without an answer, the engine does what it is asked and its answer is lost with the connection. */
  release(answer: boolean): void;
  close(): Promise<void>;
}

/** Stands before an engine and holds what carries a mark until it is told to let it go. */
export async function holdingProxy(engineUrl: string, mark: string): Promise<HoldingProxy> {
  const engine = new URL(engineUrl);
  const sockets = new Set<Socket>();
  let seen = 0;
  const held: ((answer: boolean) => void)[] = [];
  const server = createServer((client) => {
    const upstream = connect(Number(engine.port), engine.hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    let answers = true;
    client.on("data", (given) => {
      // The engine answers to its own address only.
      const text = given.toString("latin1").replaceAll(`127.0.0.1:${client.localPort ?? 0}`, engine.host);
      const bytes = Buffer.from(text, "latin1");
      if (!bytes.includes(mark)) return void upstream.write(bytes);
      seen += 1;
      client.pause();
      held.push((answer) => {
        answers = answer;
        upstream.write(bytes);
        client.resume();
      });
    });
    upstream.on("data", (bytes) => {
      if (answers) client.write(bytes);
      else client.destroy();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get seen() {
      return seen;
    },
    release(answer) {
      for (const go of held.splice(0)) go(answer);
    },
    async close() {
      const closed = new Promise((done) => server.close(done));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
