import { createServer, request as httpRequest } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";

export type ProxyServer = {
  readonly host: string;
  /** `CONNECT engine.test:443` or `GET http://engine.test/health`, in order. */
  readonly asked: string[];
  close(): Promise<void>;
};

/**
 * A forward proxy on loopback: whatever host it is asked for, it opens the way to `target`. With `password` it wants
 * `user:<password>`.
 */
export async function proxyServer(target: { port: number }, password?: string): Promise<ProxyServer> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const wanted = `Basic ${Buffer.from(`user:${password ?? ""}`).toString("base64")}`;
  const isAllowed = (given: string | undefined) => password === undefined || given === wanted;
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (!isAllowed(request.headers["proxy-authorization"])) {
      response.writeHead(407).end();
      return;
    }
    const { pathname, search } = new URL(request.url ?? "");
    const { "proxy-authorization": _own, ...headers } = request.headers;
    const onward = httpRequest(
      { host: "127.0.0.1", port: target.port, method: request.method, path: pathname + search, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward);
  });
  server.on("connection", (socket) => sockets.add(socket));
  server.on("connect", (request, socket, head) => {
    asked.push(`CONNECT ${request.url}`);
    if (!isAllowed(request.headers["proxy-authorization"])) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    const onward = connect(target.port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    sockets.add(onward);
    for (const end of [onward, socket]) end.on("error", () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
