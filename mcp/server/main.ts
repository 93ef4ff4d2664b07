import { Console } from "node:console";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { NoFreePort } from "../../loopback/listen.ts";
import { version } from "../../package.json";
import type { Engine } from "../engines/engine.ts";
import { createIronflowEngine } from "../engines/ironflow.ts";
import { EngineWatch } from "../live/watch.ts";
import { declaredIn } from "./application-tools/declared-file.ts";
import { tryTool } from "./application-tools/try-tool.ts";
import { ApplicationTools } from "./application-tools/catalog.ts";
import { attach } from "./attach/attach.ts";
import { defaultConnectionFile } from "./attach/find-app.ts";
import { Evidence } from "./evidence.ts";
import { FlagError, HELP, parseFlags, type ServerOptions, type Transport } from "./flags.ts";
import { serveHttp } from "./http.ts";
import { LiveResources } from "./resources/live.ts";
import { log } from "./log.ts";
import { toolServerFactory, type BuildServer } from "./tool-server.ts";

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
  else if (request.kind === "attach") void runAttached(request);
  else if (request.kind === "try") void runTry(request);
  else void serve(request.options);
}

/** The app's own tools and its questions: nothing of this process's engine side is started. */
async function runAttached(
  request: Extract<ReturnType<typeof parseFlags>, { kind: "attach" }>,
): Promise<void> {
  const connectionFile = request.connectionFile ?? defaultConnectionFile(process.platform, process.env);
  process.exit(await attach({ connectionFile, token: request.token }));
}

async function runTry({
  options,
  tool: name,
  declaration,
  ...attempt
}: Extract<ReturnType<typeof parseFlags>, { kind: "try" }>): Promise<void> {
  const source = () =>
    declaration === undefined
      ? createIronflowEngine({ baseUrl: options.serverUrl, apiKey: options.apiKey })
      : declaredIn(declaration.file, declaration.secretHex);
  const result = await tryTool({ ...attempt, name, source });
  process.stdout.write(`${JSON.stringify(result.shown, null, 2)}\n`);
  process.exitCode = result.exitCode;
}

async function serve(options: ServerOptions): Promise<void> {
  const engine = createIronflowEngine({ baseUrl: options.serverUrl, apiKey: options.apiKey });
  const { live, watch } = options.app ? startWatch(engine, options) : {};
  const evidence = await openEvidence(options, engine);
  const applications = options.allowWrites && !options.staticOnly ? new ApplicationTools(engine) : undefined;
  applications?.start();
  const build = toolServerFactory({ version, engine, options, evidence, applications, live });
  const connection =
    options.transport.kind === "http"
      ? await overHttp(build, options.transport, applications)
      : serveStdio(build, {
          transport: new StdioServerTransport(process.stdin, process.stdout, {
            maxBufferSize: MAX_MESSAGE_BYTES,
          }),
          onerror: (error) => log(error.message),
        });
  let stopping = false;
  const stop = async (code: number) => {
    if (stopping) return;
    stopping = true;
    try {
      live?.close();
      await Promise.all([connection.close(), watch?.close(), applications?.close()]);
      evidence?.close();
    } finally {
      process.exit(code);
    }
  };
  process.once("SIGTERM", () => void stop(EXIT.ok));
  process.once("SIGINT", () => void stop(EXIT.ok));
  if (options.transport.kind === "http") return; // nobody is at the other end of stdin
  process.stdin.once("end", () => void stop(EXIT.ok));
  process.stdin.once("close", () => void stop(EXIT.ok));
  process.stdout.once("error", () => void stop(EXIT.broke));
}

/** Serves without the barrier when the file cannot be opened (seeds: "Tools (reload barrier)"). */
async function openEvidence({ evidenceFile }: ServerOptions, engine: Engine): Promise<Evidence | undefined> {
  if (evidenceFile === undefined) return undefined;
  try {
    const evidence = await Evidence.open(evidenceFile, engine);
    void evidence.noteStart(); // never rejects; a slow engine must not keep clients waiting
    return evidence;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log(`warning: --evidence-file cannot be opened, so ironflow_await_reload is not offered: ${why}`);
    return undefined;
  }
}

/** Says on stderr, and in the port file, where it listens; the file goes with the process. */
async function overHttp(
  build: BuildServer,
  { port, portFile, token }: Extract<Transport, { kind: "http" }>,
  applications: ApplicationTools | undefined,
): Promise<{ close(): Promise<void> }> {
  const http = await serveHttp(build, { port, token, applications }).catch((cause: unknown) => {
    if (!(cause instanceof NoFreePort)) throw cause;
    log(`--port ${port} is taken`);
    process.exit(EXIT.badInput);
  });
  try {
    if (portFile !== undefined) writePortFile(portFile, http.port);
  } catch (error) {
    log(`--port-file cannot be written: ${error instanceof Error ? error.message : String(error)}`);
    await http.close();
    process.exit(EXIT.badInput);
  }
  log(`serves ${http.url}`);
  return {
    async close() {
      if (portFile !== undefined) rmSync(portFile, { force: true });
      await http.close();
    },
  };
}

/** Whoever waits for the file never sees half a number. */
function writePortFile(path: string, port: number): void {
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, `${port}\n`, { mode: 0o600 });
  renameSync(aside, path);
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
