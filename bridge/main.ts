import { systemClock } from "../loopback/clock.ts";
import { startBridge } from "./bridge.ts";
import { takeEnvironment } from "./environment.ts";
import { parentPort } from "./parent-port.ts";

/** Entry of the utility process: reads its environment, starts, and stops when it is told to or its parent is gone. */
const parent = parentPort();

function fatal(error: unknown): never {
  parent.post({ type: "fatal", reason: error instanceof Error ? error.message : String(error) });
  process.stderr.write(
    `bridge: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  // What runs in the terminals is ended by the reaper: after a fault of ours nothing here is to be trusted with it.
  process.exit(1);
}
process.on("uncaughtException", fatal);
process.on("unhandledRejection", fatal);

async function run(): Promise<void> {
  const { token, marker, logs } = takeEnvironment(process.env);
  const bridge = await startBridge({
    token,
    marker,
    logs,
    parent,
    clock: systemClock,
    now: () => new Date(),
    problem: (text) => {
      process.stderr.write(`bridge: ${text}\n`);
    },
  });
  await bridge.stopped;
  process.exit(0);
}

void run(); // a rejection is fatal, see above
