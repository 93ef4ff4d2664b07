import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PushRequest } from "../contract/push.ts";
import { answerPush, type Handler } from "../demo/steps.ts";

/** A handler that writes its answer of the push protocol itself. */
export interface RawHandler {
  answer(request: PushRequest): unknown;
}

export type AnyHandler = Handler | (() => number) | RawHandler;

/** A push endpoint with real handlers, in the test's own process. */
export interface FunctionServer {
  /** The endpoint of a function. */
  endpoint(functionId: string): string;
  /** Raw bodies and signatures that came in, oldest first. */
  received: { body: string; signature: string | undefined }[];
  close(): Promise<void>;
}

/**
 * A handler answers by the push protocol; a number is an HTTP status without a valid answer. Handlers may be added later.
 */
export async function createFunctionServer(handlers: Record<string, AnyHandler>): Promise<FunctionServer> {
  const received: FunctionServer["received"] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString("utf8");
      received.push({ body, signature: request.headers["x-ironflow-signature"]?.toString() });
      const handler = handlers[decodeURIComponent((request.url ?? "").slice(1))];
      answer(handler, body).then(
        ([status, value]) => {
          response.writeHead(status, { "content-type": "application/json" });
          response.end(JSON.stringify(value));
        },
        (error: unknown) => {
          response.writeHead(500);
          response.end(String(error));
        },
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: (functionId) => `http://127.0.0.1:${port}/${encodeURIComponent(functionId)}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(handler: AnyHandler | undefined, body: string): Promise<[number, unknown]> {
  if (handler === undefined)
    return [404, { error: { message: "no such function", code: "FUNCTION_NOT_FOUND" } }];
  if ("answer" in handler) return [200, await handler.answer(PushRequest.parse(JSON.parse(body)))];
  if (handler.length === 0) return [(handler as () => number)(), { error: { message: "down" } }];
  return [200, await answerPush(PushRequest.parse(JSON.parse(body)), handler as Handler)];
}
