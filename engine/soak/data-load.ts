import { setTimeout as sleep } from "node:timers/promises";
import { poll } from "../../loopback/testing/poll.ts";
import type { EngineProcess } from "../testing/engine-process.ts";
import {
  ACK_PROJECTION,
  DATA_EVENT,
  SQL_PROJECTION,
  SQL_TABLE,
  SUM_PROJECTION,
  type DataLedger,
  type Sum,
} from "./data-ledger.ts";
import type { Random } from "./random.ts";

/** Clients that append to streams, run projections and rebuild them. */
export interface DataLoad {
  register(engine: EngineProcess): Promise<void>;
  /** Appends, saves and rebuilds until the engine is gone or `signal` says so. */
  run(engine: EngineProcess, signal: AbortSignal): Promise<void>;
  /** Works off what there is; whether there may be more. */
  drainOnce(engine: EngineProcess): Promise<boolean>;
  /** Rebuilds every projection and compares what it is with what it was. What is wrong, one line each. */
  compareRebuilt(engine: EngineProcess): Promise<string[]>;
}

interface Append {
  entityId: string;
  n: number;
  expectedVersion: number;
}

const entities = 12;
const appenders = 3;
const rebuildShare = 0.02;
const rebuildWithinMs = 120_000;
/** The engine may answer these: somebody was faster, a rebuild runs, there is none. */
const refusals = ["aborted", "already_exists", "failed_precondition"];

export function createDataLoad(ledger: DataLedger, random: Random): DataLoad {
  let numbers = 0;
  /** Calls that begin or cancel a rebuild. */
  let rebuilds = 0;
  /** Keyed appends whose answer was lost: they are sent again until they are answered. */
  const lost = new Map<string, Append>();
  const versions = new Map<string, number>();

  const call = (engine: EngineProcess, service: string, method: string, message: object) =>
    engine.connect(`${service}/${method}`, message);

  async function ask(engine: EngineProcess, service: string, method: string, message: object) {
    const answer = await call(engine, service, method, message);
    if (answer.status === 200) return answer.body;
    if (refusals.includes(String(answer.body["code"]))) return undefined;
    throw new Error(`${method}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  async function append(engine: EngineProcess, message: Append, key: string | undefined): Promise<void> {
    const { entityId, n, expectedVersion } = message;
    const answer = await ask(engine, "EntityStreamService", "AppendEvent", {
      entityId,
      entityType: "soak",
      eventName: DATA_EVENT,
      data: { n },
      expectedVersion,
      ...(key === undefined ? {} : { idempotencyKey: key }),
    }).catch((error: unknown) => {
      if (key !== undefined) lost.set(key, message);
      throw error;
    });
    if (answer === undefined) {
      versions.delete(entityId);
      return;
    }
    const version = Number(answer["entityVersion"]);
    ledger.appended(entityId, version, String(answer["eventId"]));
    versions.set(entityId, Math.max(version, versions.get(entityId) ?? 0));
  }

  async function appendNew(engine: EngineProcess): Promise<void> {
    const n = (numbers += 1);
    const entityId = `soak-${random.int(1, entities)}`;
    const known = versions.get(entityId);
    const expectedVersion = known !== undefined && random.chance(0.5) ? known : -1;
    await append(engine, { entityId, n, expectedVersion }, random.chance(0.5) ? `append-${n}` : undefined);
  }

  async function appendLost(engine: EngineProcess): Promise<void> {
    for (const [key, message] of lost) {
      lost.delete(key);
      // What was expected then may not be true any more, if the append never happened.
      await append(engine, { ...message, expectedVersion: -1 }, key);
    }
  }

  const project = (engine: EngineProcess, method: string, message: object) =>
    ask(engine, "ProjectionService", method, message);

  interface Polled {
    events?: { id: string; seq: string; data: { n: number } }[];
    currentState?: Sum;
  }

  /** One batch of one projection; how many events. */
  async function work(engine: EngineProcess, name: string): Promise<number> {
    const before = rebuilds;
    const wasRebuilding = await isRebuilding(engine, name);
    const polled = (await project(engine, "PollProjectionEvents", {
      name,
      batchSize: random.int(1, 40),
    })) as Polled | undefined;
    const events = polled?.events ?? [];
    const last = events.at(-1);
    if (last === undefined) return 0;
    const position = { name, lastEventId: last.id, lastEventSeq: last.seq };
    const reduced = polled?.currentState ?? { count: 0, sum: 0 };
    const state: Sum = {
      count: reduced.count + events.length,
      sum: events.reduce((sum, { data }) => sum + data.n, reduced.sum),
    };
    const done = await (name === SUM_PROJECTION
      ? project(engine, "SaveProjectionState", { ...position, state })
      : project(engine, "AckProjectionEvents", position));
    if (done === undefined) return events.length;
    // What a rebuild was told is not the position that is served, and may be given up.
    const isServed = !wasRebuilding && rebuilds === before && !(await isRebuilding(engine, name));
    ledger.saved(name, isServed ? Number(last.seq) : undefined);
    return events.length;
  }

  const isRebuilding = async (engine: EngineProcess, name: string): Promise<boolean> =>
    (await project(engine, "GetProjectionStatus", { name }))?.["status"] === "rebuilding";

  async function rebuild(engine: EngineProcess): Promise<void> {
    rebuilds += 1;
    const name = random.pick([SUM_PROJECTION, ACK_PROJECTION, SQL_PROJECTION]);
    const method = random.chance(0.8) ? "RebuildProjection" : "CancelRebuild";
    await project(engine, method, { name });
  }

  async function untilGone(work_: Promise<unknown>): Promise<void> {
    await work_.catch((error: unknown) => {
      if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error;
    });
  }

  return {
    register: async (engine) => {
      await project(engine, "RegisterProjection", {
        name: SUM_PROJECTION,
        events: [DATA_EVENT],
        mode: "managed",
      });
      await project(engine, "RegisterProjection", {
        name: ACK_PROJECTION,
        events: [DATA_EVENT],
        mode: "external",
      });
      await project(engine, "CreateSQLProjection", {
        name: SQL_PROJECTION,
        tableSql: `create table ${SQL_TABLE} (entity text primary key, events integer not null, total integer not null)`,
        eventHandlers: {
          [DATA_EVENT]: `insert into ${SQL_TABLE} values (:entity_id, 1, :data.n)
            on conflict (entity) do update set events = events + 1, total = total + excluded.total`,
        },
      });
    },
    run: async (engine, signal) => {
      const repeat = async (once: () => Promise<unknown>, pauseMs: number) => {
        while (!signal.aborted) {
          await once();
          await sleep(pauseMs);
        }
      };
      const clients = [
        ...Array.from({ length: appenders }, () =>
          repeat(async () => {
            await appendLost(engine);
            await appendNew(engine);
          }, 2),
        ),
        // Two workers of one projection: they race.
        ...[SUM_PROJECTION, SUM_PROJECTION, ACK_PROJECTION].map((name) =>
          repeat(() => work(engine, name), 3),
        ),
        repeat(async () => (random.chance(rebuildShare) ? rebuild(engine) : undefined), 5),
      ];
      await Promise.all(clients.map(untilGone));
    },
    drainOnce,
    compareRebuilt: async (engine) => {
      const read = async () => {
        const { state } = await engine.ask("ProjectionService/GetProjection", { name: SUM_PROJECTION });
        const table = { name: SQL_PROJECTION, orderBy: "entity", limit: 1_000 };
        const { rows } = await engine.ask("ProjectionService/QuerySQLProjection", table);
        return JSON.stringify({ state, rows });
      };
      const before = await read();
      for (const name of [SUM_PROJECTION, ACK_PROJECTION, SQL_PROJECTION])
        await engine.ask("ProjectionService/RebuildProjection", { name });
      await poll("the rebuilt projections", async () => !(await drainOnce(engine)), rebuildWithinMs);
      const after = await read();
      return before === after ? [] : [`rebuilt projections differ: ${before} and then ${after}`];
    },
  };

  async function drainOnce(engine: EngineProcess): Promise<boolean> {
    await appendLost(engine);
    let events = 0;
    for (const name of [SUM_PROJECTION, ACK_PROJECTION]) events += await work(engine, name);
    const status = await project(engine, "GetProjectionStatus", { name: SQL_PROJECTION });
    return events > 0 || lost.size > 0 || status?.["status"] !== "active" || status["lag"] !== undefined;
  }
}
