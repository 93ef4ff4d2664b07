import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pino from "pino";
import { version } from "../package.json";
import { listen } from "../loopback/listen.ts";
import { ensureBootstrapKey } from "./bootstrap-key.ts";
import { openDataDir } from "./data-dir.ts";
import { createEngine } from "./engine.ts";
import { messageOf } from "./errors.ts";
import { HELP } from "./help.ts";
import { createDoor, errorBody } from "./http/door.ts";
import { createMeters } from "./http/meters.ts";
import { serveLive } from "./http/live.ts";
import { createRefusalNotes } from "./http/refusals.ts";
import { loadSecretsKeys } from "./secrets/keys.ts";
import { parseOptions, type ProcessOptions } from "./options.ts";
import { BadTransferOption, runTransfer } from "./transfer/command.ts";

/** How long calls to functions may go on after the engine was asked to stop, ms. */
const stopGraceMs = 1_000;

/** The other file of this program, which its build puts beside it: it runs queries. */
const sqlEntry = join(fileURLToPath(new URL(".", import.meta.url)), "engine-sql.cjs");

async function main(options: ProcessOptions): Promise<void> {
  const log = pino({ name: "engine" }, pino.destination({ dest: 2, sync: true }));
  const dataDir = openDataDir(options.dataDir);
  const secretsKeys = loadSecretsKeys({
    dataDir: options.dataDir,
    given: options.secretsKey,
    previous: options.previousSecretsKey,
    file: options.secretsKeyFile,
  });
  const engine = createEngine({
    file: dataDir.database,
    secretsKeys,
    agentTools: {
      rules: { allowed: options.callbackHosts, privateToo: options.dev },
      maxTimeoutMs: options.toolTimeoutMs,
    },
    log,
    signingKey: options.signingKey,
    leaseMs: options.leaseMs,
    pushTimeoutMs: options.pushTimeoutMs,
    retention: options.retention,
    sqlEntry,
  });
  const { core } = engine;
  const environment = await core.writer.write((tx) =>
    core.store.environments.ensure(options.environment, tx.nowMs),
  );
  if (!options.dev) await ensureBootstrapKey(core, environment, options.dataDir);

  const door = {
    core,
    environment,
    refusals: createRefusalNotes(core, environment.id),
    server: { version, startedAtMs: core.clock.nowMs(), authRequired: !options.dev, meters: createMeters() },
  };
  const server = await listen((at) => createDoor(at, door), {
    port: options.ports,
    closeWithinMs: stopGraceMs,
    errorBody,
    onError: (error) => log.error({ err: error }, "http"),
  });
  const live = serveLive(server, door);
  await engine.start();

  let stopping = false;
  const stop = (reason: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ reason }, "stopping in order");
    live.close();
    Promise.all([server.close(), engine.stop(stopGraceMs)])
      .then(() => {
        dataDir.release();
        process.exit(0);
      })
      .catch((error: unknown) => {
        log.error({ err: error }, "could not stop in order");
        process.exit(1);
      });
  };
  process.on("SIGTERM", () => stop("SIGTERM"));
  process.on("SIGINT", () => stop("SIGINT"));
  if (options.exitWithStdin) {
    process.stdin.on("end", () => stop("what started it asks for it"));
    process.stdin.on("error", () => stop("stdin broke"));
    process.stdin.resume();
  }
  process.stdout.write(`ready ${JSON.stringify({ url: server.url, version })}\n`);
}

function serve(): void {
  try {
    const options = parseOptions(process.argv.slice(2), process.env);
    // Nothing that this process starts may inherit them.
    delete process.env["IRONFLOW_MASTER_KEY"];
    delete process.env["IRONFLOW_MASTER_KEY_PREVIOUS"];
    delete process.env["IRONFLOW_SIGNING_KEY"];
    if (options === "help") process.stdout.write(HELP);
    else
      main(options).catch((error: unknown) => {
        process.stderr.write(`engine: ${messageOf(error)}\n`);
        process.exit(1);
      });
  } catch (error) {
    process.stderr.write(`engine: ${messageOf(error)}; --help lists the options\n`);
    process.exitCode = 2;
  }
}

function transfer(command: "export" | "import", argv: readonly string[]): void {
  if (argv.includes("--help")) {
    process.stdout.write(HELP);
    return;
  }
  runTransfer(command, argv).catch((error: unknown) => {
    const isBadOption = error instanceof BadTransferOption;
    process.stderr.write(`engine: ${messageOf(error)}${isBadOption ? "; --help lists the options" : ""}\n`);
    process.exitCode = isBadOption ? 2 : 1;
  });
}

const [command, ...rest] = process.argv.slice(2);
if (command === "export" || command === "import") transfer(command, rest);
else serve();
