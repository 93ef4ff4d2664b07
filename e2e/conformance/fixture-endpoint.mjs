// The test build: the app's own endpoint code with the suite's fixture in the place of the app's tools, behind a proxy on
// loopback that adds the token, because the suites cannot send one.
import { spawn } from "node:child_process";
import { request, createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { rolldown } from "rolldown";
import { ROOT } from "../../build/paths.mjs";

const SOURCE = "electron/mcp-endpoint/testing/conformance/main.ts";

/**
 * @returns {Promise<{ url: string, direct: string, close(): Promise<void> }>} `url`: through the proxy; `direct`: the
 *   endpoint itself, which asks for the token
 */
export async function startFixture() {
  const file = join(ROOT, ".cache", "conformance", "endpoint.cjs");
  const bundle = await rolldown({
    input: join(ROOT, SOURCE),
    platform: "node",
    external: ["electron"],
    resolve: { mainFields: ["module", "main"] },
    transform: { target: "node20.18" },
  });
  await bundle.write({ file, format: "cjs", codeSplitting: false });
  await bundle.close();

  /** @type {{ port: number, token: string }} */
  let endpoint = { port: 0, token: "" };
  const proxy = createServer((incoming, answer) => {
    // Host, Origin and everything else go through untouched: they are what is under test.
    const outgoing = request(
      {
        host: "127.0.0.1",
        port: endpoint.port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, authorization: `Bearer ${endpoint.token}` },
        setHost: false,
      },
      (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(answer);
        reply.once("error", () => answer.destroy());
      },
    );
    outgoing.once("error", () => answer.destroy());
    answer.once("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise((done) => proxy.listen(0, "127.0.0.1", () => done(undefined)));
  const proxyPort = /** @type {import("node:net").AddressInfo} */ (proxy.address()).port;

  const child = spawn(process.execPath, [file, String(proxyPort)], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = new Promise((done) => child.once("exit", done));
  const lines = createInterface({ input: child.stdout });
  endpoint = await new Promise((done, fail) => {
    lines.once("line", (line) => done(JSON.parse(line)));
    void exited.then(() => fail(new Error("the endpoint of the test build has ended before it was ready")));
  });
  return {
    url: `http://127.0.0.1:${proxyPort}/mcp`,
    direct: `http://127.0.0.1:${endpoint.port}/mcp`,
    async close() {
      child.stdin.end();
      await exited;
      proxy.closeAllConnections();
      await new Promise((done) => proxy.close(done));
    },
  };
}
