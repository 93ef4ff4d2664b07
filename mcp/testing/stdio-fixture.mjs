// An MCP server of the handshake era with faults, for the tests of the stdio client. The mode is the first argument.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [mode = "good"] = process.argv.slice(2);
const write = (text) => process.stdout.write(text);
const send = (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

if (mode === "banner") write("Starting up, please wait ...\n\n");
if (mode === "bom") write("\uFEFF");
if (mode === "ignore-eof" || mode === "ignore-term") setInterval(() => {}, 1_000);
if (mode === "ignore-term") process.on("SIGTERM", () => {});
if (mode === "exit-at-once") {
  process.stderr.write("boom: config missing\n");
  process.exit(7);
}
if (mode === "noisy-stderr") process.stderr.write("x".repeat(1_000_000));
if (mode === "grandchild") {
  // Holds the pipes open and ignores SIGTERM, as a server behind a careless wrapper does.
  const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000)";
  const grandchild = spawn(process.execPath, ["-e", script], { stdio: "inherit" });
  process.stderr.write(`grandchild ${grandchild.pid}\n`);
}
if (mode === "deaf") setInterval(() => {}, 1_000);
else createInterface({ input: process.stdin }).on("line", (line) => receive(JSON.parse(line)));

function receive({ id, method, params }) {
  if (method === "initialize") {
    if (mode === "silent") return;
    send({
      id,
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {}, resources: { subscribe: true } },
        serverInfo: { name: "fixture", version: "1" },
      },
    });
  } else if (method === "resources/subscribe") {
    send({ id, result: {} });
    send({ method: "notifications/resources/updated", params: { uri: params.uri } });
  } else if (method === "resources/read") {
    send({ id, result: { contents: [{ uri: params.uri, text: "hello" }] } });
  } else if (method === "notifications/cancelled") {
    process.stderr.write(`cancelled ${params.requestId}\n`);
  } else if (method === "tools/call") call(id, params);
}

function call(id, { name, arguments: given, _meta }) {
  const text = (value) => send({ id, result: { content: [{ type: "text", text: value }] } });
  if (name === "echo") text(JSON.stringify({ given, meta: _meta }));
  if (name === "huge") text("x".repeat(given.bytes));
  if (name === "crash") process.exit(3);
  if (name === "last-words") {
    text("last words");
    process.exit(0);
  }
  if (name === "garbage") {
    for (let line = 0; line < given.lines; line += 1) write("this is not JSON\n");
    text("after the garbage");
  }
  if (name === "text-id") write(`{"jsonrpc":"2.0","id":"${id}","result":{"content":[]}}\n`);
  if (name === "bad-utf8") {
    write(
      Buffer.concat([
        Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{"x":"`),
        Buffer.from([0xff]),
        Buffer.from('"}}\n'),
      ]),
    );
  }
  if (name === "unknown") send({ id, error: { code: -32602, message: "Tool unknown not found" } });
  // "never" gets no answer.
}
