import { expectLike, expectThat, isArray, isNumber, isText, isTime } from "../like.ts";
import type { Row } from "../row.ts";
import type { Body, Target } from "../target.ts";

/** A function of this name, and three runs of it that have completed, oldest first. */
async function three(t: Target): Promise<{ id: string; runs: string[] }> {
  const id = await t.define("listed", ({ steps }) => steps.run("one", () => 1));
  const runs: string[] = [];
  for (let n = 0; n < 3; n += 1) runs.push(await t.start(id, { n }));
  for (const run of runs) await t.reaches(run, "completed");
  return { id, runs };
}

const idsOf = (answer: unknown): string[] =>
  (((answer as Body)["runs"] ?? []) as Body[]).map(({ id }) => String(id));

/** Section 2.2 (reading), both eras, and the enums of section 5. */
export const runRows: Row[] = [
  {
    id: "2.2.get-run",
    mark: "S",
    title: "GetRun answers the bare run with its fields",
    check: async (t) => {
      const id = await t.define("read", ({ steps }) => steps.run("one", () => ({ ok: true })));
      const { eventId, runIds } = await t.emit(id, { a: 1 });
      expectLike(await t.reaches(String(runIds[0]), "completed"), {
        id: String(runIds[0]),
        functionId: id,
        eventId,
        executionMode: "EXECUTION_MODE_PUSH",
        input: { a: 1 },
        output: { ok: true },
        status: "RUN_STATUS_COMPLETED",
        attempt: 1,
        maxAttempts: 3,
        startedAt: isTime,
        endedAt: isTime,
        createdAt: isTime,
        updatedAt: isTime,
        functionVersion: 1,
      });
    },
  },
  {
    id: "2.2.get-run.era-b",
    mark: "G",
    title: "era B: a run names its event, its environment and its row version",
    check: async (t) => {
      const { id, runs } = await three(t);
      expectLike(await t.run(runs[0] ?? ""), { eventName: id, environmentId: isText, version: isNumber });
    },
  },
  {
    id: "2.2.get-run.missing",
    mark: "S",
    title: "GetRun and GetRunSteps of nobody are not_found",
    check: async (t) => {
      await t.rpcFails("GetRun", { id: "run_none" }, "not_found");
      await t.rpcFails("GetRunSteps", { runId: "run_none" }, "not_found");
    },
  },
  {
    id: "2.2.get-run-steps",
    mark: "S",
    title: "GetRunSteps lists the steps in their order with their fields",
    check: async (t) => {
      const id = await t.define("steps", async ({ steps }) => {
        await steps.run("first", () => ({ n: 1 }));
        await steps.run("second", () => "two");
      });
      const run = await t.reaches(await t.start(id), "completed");
      const rows = await t.steps(String(run["id"]));
      expectLike(rows, [
        {
          id: isText,
          runId: String(run["id"]),
          stepId: "first",
          stepType: "STEP_TYPE_INVOKE",
          sequence: isNumber,
          status: "STEP_STATUS_COMPLETED",
          output: { n: 1 },
          attempt: 1,
          startedAt: isTime,
          endedAt: isTime,
        },
        { stepId: "second", outputValue: "two", output: undefined },
      ]);
      expectThat("sequences grow", Number(rows[0]?.["sequence"]) < Number(rows[1]?.["sequence"]));
    },
  },
  {
    id: "2.2.list-runs",
    mark: "S",
    title: "ListRuns of a function is newest first and counts them",
    check: async (t) => {
      const { id, runs } = await three(t);
      const answer = await t.rpc("ListRuns", { functionId: id });
      expectLike(idsOf(answer), runs.toReversed());
      expectLike(answer, { totalCount: 3, nextCursor: undefined });
    },
  },
  {
    id: "2.2.list-runs.status",
    mark: "S",
    title: 'ListRuns takes a status as enum name, "failed" (node SDK) and "FAILED" (browser SDK)',
    check: async (t) => {
      const { id } = await three(t);
      for (const status of ["RUN_STATUS_COMPLETED", "completed", "COMPLETED"])
        expectLike(await t.rpc("ListRuns", { functionId: id, status }), { totalCount: 3 });
      expectLike(await t.rpc("ListRuns", { functionId: id, status: "RUN_STATUS_FAILED" }), {
        runs: undefined,
      });
      expectLike(await t.rpc("ListRuns", { functionId: id, status: "RUN_STATUS_UNSPECIFIED" }), {
        totalCount: 3,
      });
    },
  },
  {
    id: "2.2.list-runs.statuses",
    mark: "G",
    title: "era B: ListRuns takes several statuses",
    check: async (t) => {
      const { id } = await three(t);
      const statuses = ["RUN_STATUS_COMPLETED", "RUN_STATUS_FAILED"];
      expectLike(await t.rpc("ListRuns", { functionId: id, statuses }), { totalCount: 3 });
      await t.rpcFails("ListRuns", { statuses: ["RUN_STATUS_SIDEWAYS"] }, "invalid_argument");
    },
  },
  {
    id: "5.pending-is-retired",
    mark: "K",
    title: "a filter for pending matches nothing or is refused",
    check: async (t) => {
      const { id } = await three(t);
      const body = { functionId: id, status: "pending" };
      const { status, json } = await t.raw("POST", "/ironflow.v1.IronflowService/ListRuns", { body });
      expectThat("nothing or 400", status === 400 || (status === 200 && idsOf(json).length === 0));
    },
  },
  {
    id: "2.2.list-runs.time",
    mark: "M",
    title: "since is inclusive, until exclusive, both on creation time",
    check: async (t) => {
      const { id, runs } = await three(t);
      const { createdAt } = await t.run(runs[1] ?? "");
      const since = idsOf(await t.rpc("ListRuns", { functionId: id, since: createdAt }));
      const until = idsOf(await t.rpc("ListRuns", { functionId: id, until: createdAt }));
      expectThat("since takes the run itself", since.includes(runs[1] ?? ""));
      expectThat("until leaves it out", !until.includes(runs[1] ?? ""));
      expectThat("together they are all", since.length + until.length === 3);
    },
  },
  {
    id: "1.5.list-runs.cursor",
    mark: "S",
    title: "ListRuns walks by cursor without a gap or a repeat",
    check: async (t) => {
      const { id, runs } = await three(t);
      const seen: string[] = [];
      let cursor: unknown;
      do {
        const answer = await t.rpc("ListRuns", {
          functionId: id,
          limit: 1,
          ...(cursor === undefined ? {} : { cursor }),
        });
        seen.push(...idsOf(answer));
        cursor = answer["nextCursor"];
      } while (cursor !== undefined && seen.length < 10);
      expectLike(seen, runs.toReversed());
    },
  },
  {
    id: "1.5.list-runs.bad-cursor",
    mark: "I",
    title: "a cursor that is none is invalid_argument",
    check: async (t) => {
      expectLike(await t.rpcFails("ListRuns", { cursor: "nonsense" }, "invalid_argument"), /cursor/);
    },
  },
  {
    id: "2.2.list-runs.offset",
    mark: "G",
    title: "era B: ListRuns takes an offset",
    check: async (t) => {
      const { id, runs } = await three(t);
      expectLike(idsOf(await t.rpc("ListRuns", { functionId: id, limit: 1, offset: 1 })), [runs[1] ?? ""]);
    },
  },
  {
    id: "2.2.list-runs.event",
    mark: "G",
    title: "era B: ListRuns filters by event",
    check: async (t) => {
      const { runs } = await three(t);
      const { eventId } = await t.run(runs[0] ?? "");
      expectLike(idsOf(await t.rpc("ListRuns", { eventId })), [runs[0] ?? ""]);
    },
  },
  {
    id: "2.2.list-runs.search",
    mark: "G",
    title: "era B: ListRuns searches by a part of the run's id",
    check: async (t) => {
      const { runs } = await three(t);
      const wanted = runs[0] ?? "";
      expectThat(
        "it is there",
        idsOf(await t.rpc("ListRuns", { search: wanted.slice(-12) })).includes(wanted),
      );
    },
  },
  {
    id: "2.2.parent",
    mark: "G",
    title: "era B: a child run names its parent's run and step",
    check: async (t) => {
      const child = await t.define("child", async () => "done");
      const parent = await t.define("parent", ({ steps }) => steps.invoke(child, {}));
      const run = await t.reaches(await t.start(parent), "completed");
      const { id: childRun } = await t.runOf(child);
      const [step] = await t.steps(String(run["id"]));
      expectLike(await t.run(String(childRun)), {
        parentRunId: String(run["id"]),
        parentStepId: String(step?.["id"]),
      });
    },
  },
  {
    id: "2.2.rest.list",
    mark: "G",
    title: "era A: GET /api/v1/runs has count and total_count",
    check: async (t) => {
      const { id, runs } = await three(t);
      const page = await t.get(`/api/v1/runs?function_id=${id}&status=completed&limit=2&offset=1`);
      expectLike(page, { count: 2, total_count: 3 });
      expectLike(idsOf(page), runs.slice(0, 2).toReversed());
      await t.restFails("GET", "/api/v1/runs?status=sideways", 400);
    },
  },
  {
    id: "2.2.rest.get",
    mark: "G",
    title: "era A: GET /api/v1/runs/{id} answers snake_case with plain words",
    check: async (t) => {
      const { id, runs } = await three(t);
      expectLike(await t.get(`/api/v1/runs/${runs[0]}`), {
        id: runs[0],
        function_id: id,
        event_id: /^evt_/,
        execution_mode: "push",
        status: "completed",
        attempt: 1,
        max_attempts: 3,
        input: { n: 0 },
        output: 1,
        created_at: isTime,
        updated_at: isTime,
        started_at: isTime,
        ended_at: isTime,
      });
      await t.restFails("GET", "/api/v1/runs/run_none", 404);
    },
  },
  {
    id: "2.2.rest.steps",
    mark: "G",
    title: "era A: GET /api/v1/runs/{id}/steps has steps and count",
    check: async (t) => {
      const { runs } = await three(t);
      const page = (await t.get(`/api/v1/runs/${runs[0]}/steps`)) as Body;
      expectLike(page, {
        count: 1,
        steps: [
          {
            run_id: runs[0],
            step_id: "one",
            step_type: "invoke",
            status: "completed",
            output: 1,
            sequence: isNumber,
          },
        ],
      });
    },
  },
  {
    id: "2.2.rest.streams",
    mark: "G",
    title: "GET /api/v1/runs/{id}/streams lists entity ids",
    check: async (t) => {
      const { runs } = await three(t);
      expectLike(await t.get(`/api/v1/runs/${runs[0]}/streams`), { entity_ids: isArray });
    },
  },
  {
    id: "2.2.rest.audit",
    mark: "G",
    title: "era A: GET /api/v1/runs/{id}/audit lists what happened",
    check: async (t) => {
      const { runs } = await three(t);
      expectLike(await t.get(`/api/v1/runs/${runs[0]}/audit`), { events: isArray, total_count: isNumber });
    },
  },
];
