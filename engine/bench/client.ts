import { Agent, request } from "node:http";

/** A client on kept-alive connections; lighter than fetch, so that the engine is what is measured. */
export interface Client {
  /** POST of a JSON text. The answer's text. @throws when the status is not 200 */
  post(path: string, body: string): Promise<string>;
  /** PUT of a JSON text. */
  put(path: string, body: string): Promise<string>;
  get(path: string): Promise<string>;
  /** A Connect call: `Emit`, or `EntityStreamService/AppendEvent` of another service. */
  rpc(method: string, message: unknown): Promise<Record<string, unknown>>;
  close(): void;
}

export function createClient(url: string, key: string): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const { hostname, port } = new URL(url);
  const authorization = key === "" ? {} : { authorization: `Bearer ${key}` };
  const send = (method: string, path: string, body: string | undefined): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = {
        ...authorization,
        ...(body === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      };
      const call = request({ agent, hostname, port, method, path, headers }, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(parts).toString("utf8");
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`${method} ${path}: ${String(response.statusCode)} ${text.slice(0, 300)}`));
        });
      });
      call.on("error", reject);
      call.end(body);
    });
  const post: Client["post"] = (path, body) => send("POST", path, body);
  return {
    post,
    put: (path, body) => send("PUT", path, body),
    get: (path) => send("GET", path, undefined),
    rpc: async (method, message) =>
      JSON.parse(
        await post(
          `/ironflow.v1.${method.includes("/") ? method : `IronflowService/${method}`}`,
          JSON.stringify(message),
        ),
      ) as Record<string, unknown>,
    close: () => agent.destroy(),
  };
}
