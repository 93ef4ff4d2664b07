import { Console } from "node:console";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { version } from "../../package.json";
import type { Engine } from "../engines/engine.ts";
import { createIronflowEngine } from "../engines/ironflow.ts";
import { EngineWatch } from "../live/watch.ts";
import { FlagError, HELP, parseFlags, type ServerOptions } from "./flags.ts";
import { LiveResources } from "./live-resources.ts";
import { log } from "./log.ts";
import { toolServerFactory } from "./tool-server.ts";

/** The tool server: wires flags, engine and stdio together. Exit codes: 0 asked to end, 1 broke, 4 bad flags. */
const EXIT = { ok: 0, broke: 1, badInput: 4 } as const;

/** Longest message that a client may send, in bytes. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024;

// Whatever a library prints must not reach stdout, which carries the protocol.
globalThis.console = new Console(process.stderr);

function run(): void {
  let request: ReturnType<typeof parseFlags>;
  try {
    request = parseFlags(process.argv.slice(2), process.env);
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    log(error.message);
    process.exitCode = EXIT.badInput;
    return;
  }
  if (request.kind === "help") process.stdout.write(HELP);
  else if (request.kind === "version") process.stdout.write(`ironbridge-mcp ${version}\n`);
  else serve(request.options);
}

function serve(options: ServerOptions): void {
  const engine = createIronflowEngine({ baseUrl: options.serverUrl, apiKey: options.apiKey });
  const { live, watch } = options.app ? startWatch(engine, options) : {};
  const connection = serveStdio(toolServerFactory({ version, engine, options, live }), {
    transport: new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: MAX_MESSAGE_BYTES }),
    onerror: (error) => log(error.message),
  });
  let stopping = false;
  const stop = async (code: number) => {
    if (stopping) return;
    stopping = true;
    try {
      live?.close();
      await Promise.all([connection.close(), watch?.close()]);
    } finally {
      process.exit(code);
    }
  };
  process.once("SIGTERM", () => void stop(EXIT.ok));
  process.once("SIGINT", () => void stop(EXIT.ok));
  process.stdin.once("end", () => void stop(EXIT.ok));
  process.stdin.once("close", () => void stop(EXIT.ok));
  process.stdout.once("error", () => void stop(EXIT.broke));
}

function startWatch(engine: Engine, { apiKey }: ServerOptions) {
  const watch: EngineWatch = new EngineWatch({
    engine,
    apiKey,
    onChanged: (topic) => live.changed(topic),
    onConnection: (state) => live.connectionChanged(state),
  });
  const live = new LiveResources(watch.connection);
  watch.start();
  return { live, watch };
}

process.on("uncaughtException", (error) => {
  log(`broke: ${error.stack ?? error.message}`);
  process.exit(EXIT.broke);
});
run();
