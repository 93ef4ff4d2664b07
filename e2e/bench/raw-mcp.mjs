// A bare MCP client over one kept connection, so that a benchmark measures servers and not a client.
import { Agent, request } from "node:http";

const VERSION = "2026-07-28";
const META = {
  "io.modelcontextprotocol/protocolVersion": VERSION,
  "io.modelcontextprotocol/clientCapabilities": {},
  "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
};

/**
 * @param {string} url
 * @param {string} token
 */
export function rawClient(url, token) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let id = 0;
  /** @type {string | undefined} */
  let session;

  /**
   * @param {object} body
   * @param {Record<string, string>} headers
   * @returns {Promise<{ status: number, headers: import("node:http").IncomingHttpHeaders, text: string }>}
   */
  const post = (body, headers) =>
    new Promise((done, fail) => {
      const text = JSON.stringify(body);
      const sent = request(
        url,
        {
          agent,
          method: "POST",
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            "content-length": Buffer.byteLength(text),
            accept: "application/json, text/event-stream",
            ...headers,
          },
        },
        (answer) => {
          const parts = /** @type {Buffer[]} */ ([]);
          answer.on("data", (part) => parts.push(part));
          answer.once("end", () =>
            done({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              text: Buffer.concat(parts).toString("utf8"),
            }),
          );
        },
      );
      sent.once("error", fail);
      sent.end(text);
    });

  /** @param {{ status: number, text: string }} answer */
  const resultOf = ({ status, text }) => {
    const json = text.startsWith("{") ? text : (/^data: ?(\{.*)$/m.exec(text)?.[1] ?? "null");
    const message = JSON.parse(json);
    if (status !== 200 || message?.result === undefined || message.result.isError === true)
      throw new Error(`${url} answered ${status}: ${text.slice(0, 300)}`);
    return message.result;
  };

  return {
    /**
     * One request of 2026-07-28.
     * @param {string} method
     * @param {Record<string, unknown>} [params]
     */
    async modern(method, params = {}) {
      id += 1;
      const name = typeof params["name"] === "string" ? { "mcp-name": params["name"] } : {};
      const body = { jsonrpc: "2.0", id, method, params: { ...params, _meta: META } };
      return resultOf(await post(body, { "mcp-protocol-version": VERSION, "mcp-method": method, ...name }));
    },
    /**
     * One request of 2025-11-25, in a session that the first one opens.
     * @param {string} method
     * @param {Record<string, unknown>} [params]
     */
    async handshake(method, params = {}) {
      if (session === undefined) {
        const opened = await post(
          {
            jsonrpc: "2.0",
            id: 0,
            method: "initialize",
            params: {
              protocolVersion: "2025-11-25",
              capabilities: {},
              clientInfo: { name: "bench", version: "1" },
            },
          },
          {},
        );
        resultOf(opened);
        session = String(opened.headers["mcp-session-id"]);
        await post({ jsonrpc: "2.0", method: "notifications/initialized" }, own(session));
      }
      id += 1;
      return resultOf(await post({ jsonrpc: "2.0", id, method, params }, own(session)));
    },
    close: () => agent.destroy(),
  };
}

/** @param {string} session */
const own = (session) => ({ "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" });
