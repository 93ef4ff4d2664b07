import type { Body, Target } from "../target.ts";

/** What workers and people do with projections, for the rows about them. */

export const rpc = (t: Target, method: string, message: Body) =>
  t.rpc(`ProjectionService/${method}`, message);
export const fails = (t: Target, method: string, message: Body, code: string) =>
  t.rpcFails(`ProjectionService/${method}`, message, code);

/** A projection over events of a fresh name. */
export async function define(
  t: Target,
  stem: string,
  more: Body = {},
): Promise<{ name: string; event: string }> {
  const [name, event] = [t.name(stem), t.name("projected")];
  await rpc(t, "RegisterProjection", { name, events: [event], version: 1, mode: "managed", ...more });
  return { name, event };
}

export async function pollEvents(t: Target, message: Body): Promise<Body & { events: Body[] }> {
  const answer = await rpc(t, "PollProjectionEvents", message);
  return { ...answer, events: (answer["events"] ?? []) as Body[] };
}

export const numbersOf = (events: Body[]) => events.map((event) => (event["data"] as { n: number }).n);

/** Sums `n`, as a worker does: events, the state they build on, the new state. How many events that were. */
export async function work(t: Target, name: string, batchSize = 100): Promise<number> {
  const { events, currentState } = await pollEvents(t, { name, batchSize });
  const last = events.at(-1);
  if (last === undefined) return 0;
  const before = (currentState as { sum: number } | undefined)?.sum ?? 0;
  const sum = numbersOf(events).reduce((all, n) => all + n, before);
  await rpc(t, "SaveProjectionState", {
    name,
    state: { sum },
    lastEventId: last["id"],
    lastEventSeq: last["seq"],
    lastEventTime: last["timestamp"],
  });
  return events.length;
}

export async function emitNumbers(t: Target, event: string, ...numbers: number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const n of numbers) ids.push((await t.emit(event, { n })).eventId);
  return ids;
}

/** A SQL projection that counts and sums events by customer. */
export async function defineSql(
  t: Target,
  handler?: string,
): Promise<{ name: string; event: string; table: string }> {
  const [name, event] = [t.name("totals"), t.name("ordered")];
  const table = `proj_${t.name("totals").replaceAll("-", "_")}`;
  await rpc(t, "CreateSQLProjection", {
    name,
    tableSql: `create table ${table} (customer text primary key, orders integer not null, total integer not null check (total >= 0))`,
    eventHandlers: {
      [event]:
        handler ??
        `insert into ${table} values (:data.customer, 1, :data.n)
           on conflict (customer) do update set orders = orders + 1, total = total + excluded.total`,
    },
    description: "totals by customer",
  });
  return { name, event, table };
}

export async function caughtUp(t: Target, projection: string, eventId: string): Promise<Body> {
  return rpc(t, "WaitForEvent", { eventId, projection, timeout: "15s" });
}

export async function job(t: Target, name: string): Promise<Body> {
  return (await rpc(t, "GetRebuildJob", { name }))["job"] as Body;
}

export async function status(t: Target, name: string): Promise<Body> {
  return rpc(t, "GetProjectionStatus", { name });
}
