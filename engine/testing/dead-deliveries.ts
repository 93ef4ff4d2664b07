import { OUTBOX_RETRY } from "../outbox/relay.ts";
import { appendEvent } from "../streams/append.ts";
import { toJsonText } from "../json/json-text.ts";
import { createFakeClock } from "./fake-clock.ts";
import { fillDisk, freeDisk } from "./full-disk.ts";
import { completed, createHarness, ENV } from "./harness.ts";

/** How long ago the engine began that gave the deliveries up, ms: more than all tries take. */
const agoMs = 60 * 60_000;
/** A run of an event with so much data does not fit on a full disk, characters. */
const paddingChars = 40_000;

interface Wanted {
  readonly file: string;
  /** `functionId`: what the event would have started. */
  readonly events: readonly {
    entityId: string;
    name: string;
    data: Record<string, unknown>;
    functionId: string;
  }[];
}

/**
 * A program: leaves a database behind in which both deliveries of each event are dead, as an engine leaves it whose disk
 * was full, and whose live clients could not be told, for as long as it tried. Its one argument is the JSON of `Wanted`;
 * it prints the events' ids as JSON.
 */
async function main({ file, events }: Wanted): Promise<void> {
  const clock = createFakeClock(Date.now() - agoMs);
  const engine = await createHarness({ file, clock });
  const { db } = engine.core.store;
  for (const { functionId, name } of events)
    await engine.define(functionId, () => completed(), { triggers: [{ event: name }] });
  engine.core.hub.subscribe(({ topic }) => {
    if (topic.startsWith("entity:")) throw new Error("the client is gone");
  });
  const ids: string[] = [];
  for (const { entityId, name, data } of events) {
    const { eventId } = await engine.change((tx) =>
      appendEvent(engine.core, tx, {
        environmentId: ENV,
        entityId,
        entityType: "order",
        name,
        data: toJsonText({ ...data, note: "x".repeat(paddingChars) }),
        expectedVersion: -1,
        version: 1,
      }),
    );
    ids.push(eventId);
  }
  fillDisk(db);
  for (let attempt = 0; attempt <= OUTBOX_RETRY.attempts; attempt += 1) {
    clock.advance(OUTBOX_RETRY.longestMs);
    await engine.settle();
  }
  freeDisk(db);
  const { total } = engine.core.store.outbox.dead(ENV, { limit: 1, offset: 0 });
  await engine.stop();
  if (total !== 2 * events.length) throw new Error(`${total} deliveries are dead`);
  process.stdout.write(`${JSON.stringify(ids)}\n`);
}

main(JSON.parse(process.argv[2] ?? "") as Wanted).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
