import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import * as z from "zod/v4";
import { bundleEntry } from "../../loopback/testing/bundle.ts";

/** `functionId`: what the event would have started. */
export type DeadEvent = {
  readonly entityId: string;
  readonly name: string;
  readonly data: object;
  readonly functionId: string;
};

/**
 * Has an engine give up both deliveries of each event, in the data folder of one that is to start there afterwards.
 * @returns the events' ids
 */
export async function leaveDeadDeliveries(
  dataDir: string,
  events: readonly DeadEvent[],
): Promise<readonly string[]> {
  const bundle = await bundleEntry(new URL("../../engine/testing/dead-deliveries.ts", import.meta.url));
  try {
    const wanted = JSON.stringify({ file: join(dataDir, "engine.db"), events });
    const { stdout } = await promisify(execFile)(process.execPath, [bundle.file, wanted]);
    return z.array(z.string()).parse(JSON.parse(stdout));
  } finally {
    await bundle.remove();
  }
}
