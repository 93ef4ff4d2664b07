import { expectLike, expectThat, isArray, isNumber, isText, isTime } from "../like.ts";
import type { Row } from "../row.ts";
import type { Body } from "../target.ts";

const nothing = async () => null;
const byText = (a: string, b: string) => (a < b ? -1 : 1);

/** The one list in an answer whose member's name is not public. */
function listIn(answer: Body): Body[] {
  return (Object.values(answer).find((value) => Array.isArray(value)) ?? []) as Body[];
}

/** Section 2.3: registration, status, history. */
export const functionRows: Row[] = [
  {
    id: "2.3.register",
    mark: "S",
    title: "RegisterFunction answers the function and that it is new",
    check: async (t) => {
      const id = t.name("new");
      const answer = await t.rpc("RegisterFunction", {
        id,
        name: "New",
        description: "made by a test",
        triggers: [{ event: id }],
        endpointUrl: t.functions.endpoint(id),
        preferredMode: "EXECUTION_MODE_PUSH",
        timeoutMs: 5_000,
        actorKey: "data.user",
        metadata: { team: "shop", n: 1 },
      });
      expectLike(answer, {
        created: true,
        function: {
          id,
          name: "New",
          description: "made by a test",
          triggers: [{ event: id }],
          endpointUrl: t.functions.endpoint(id),
          preferredMode: "EXECUTION_MODE_PUSH",
          status: "FUNCTION_STATUS_ACTIVE",
          version: 1,
          timeoutMs: 5_000,
          actorKey: "data.user",
          metadata: { team: "shop", n: 1 },
          createdAt: isTime,
          updatedAt: isTime,
        },
      });
    },
  },
  {
    id: "2.3.register.again",
    mark: "S",
    title: "registering the same again changes no version, registering something else does",
    check: async (t) => {
      const id = t.name("twice");
      const config = { id, endpointUrl: t.functions.endpoint(id), triggers: [{ event: id }] };
      await t.rpc("RegisterFunction", config);
      const same = await t.rpc("RegisterFunction", config);
      expectLike(same, { created: undefined, function: { version: 1 } });
      const other = await t.rpc("RegisterFunction", { ...config, timeoutMs: 1_000 });
      expectLike(other, { created: undefined, function: { version: 2 } });
    },
  },
  {
    id: "2.3.code-hash",
    mark: "R",
    title: "another __ironflow_code_hash is another version",
    check: async (t) => {
      const id = t.name("hash");
      const register = (hash: string) =>
        t.rpc("RegisterFunction", {
          id,
          endpointUrl: t.functions.endpoint(id),
          metadata: { __ironflow_code_hash: hash },
        });
      await register("0123456789abcdef");
      expectLike(await register("fedcba9876543210"), { function: { version: 2 } });
    },
  },
  {
    id: "2.3.register.id",
    mark: "S",
    title: "a function id with white space or an empty dotted segment is invalid_argument",
    check: async (t) => {
      for (const id of ["a b", "a..b", ""])
        await t.rpcFails("RegisterFunction", { id, endpointUrl: "http://127.0.0.1:1/" }, "invalid_argument");
    },
  },
  {
    id: "2.3.get.missing",
    mark: "S",
    title: "GetFunction of nobody is not_found",
    check: async (t) => {
      await t.rpcFails("GetFunction", { id: t.name("nobody") }, "not_found");
    },
  },
  {
    id: "2.3.list",
    mark: "S",
    title: "ListFunctions filters by name and status and counts all that fit",
    check: async (t) => {
      const stem = t.name("listed");
      for (const end of ["a", "b", "c"])
        await t.rpc("RegisterFunction", {
          id: `${stem}-${end}`,
          name: `${stem} ${end}`,
          endpointUrl: "http://127.0.0.1:1/",
        });
      await t.rpc("UpdateFunctionStatus", { id: `${stem}-b`, status: "FUNCTION_STATUS_PAUSED" });
      expectLike(await t.rpc("ListFunctions", { name: stem }), {
        functions: (rows) => (rows as Body[]).length === 3,
        totalCount: 3,
      });
      expectLike(await t.rpc("ListFunctions", { name: stem, status: "FUNCTION_STATUS_PAUSED" }), {
        functions: [{ id: `${stem}-b` }],
        totalCount: 1,
      });
    },
  },
  {
    id: "2.3.list.pages",
    mark: "S",
    title: "ListFunctions pages by cursor and by offset",
    check: async (t) => {
      const stem = t.name("paged");
      const ids = ["a", "b", "c"].map((end) => `${stem}-${end}`);
      for (const id of ids) await t.rpc("RegisterFunction", { id, endpointUrl: "http://127.0.0.1:1/" });
      const seen: unknown[] = [];
      let cursor: unknown;
      for (let page = 0; page < 3; page += 1) {
        const answer = await t.rpc("ListFunctions", {
          name: stem,
          limit: 1,
          ...(cursor === undefined ? {} : { cursor }),
        });
        seen.push(...((answer["functions"] ?? []) as Body[]).map(({ id }) => id));
        cursor = answer["nextCursor"];
      }
      expectLike(cursor, undefined, "cursor after the last page");
      expectLike(seen.map(String).toSorted(byText), ids, "ids of three pages");
      const byOffset = await t.rpc("ListFunctions", { name: stem, limit: 1, offset: 1 });
      expectLike((byOffset["functions"] as Body[])[0]?.["id"], String(seen[1]), "second by offset");
    },
  },
  {
    id: "2.3.pause",
    mark: "S",
    title: "a paused function is not triggered, an active one is again",
    check: async (t) => {
      const id = await t.define("paused", nothing);
      expectLike(await t.rpc("UpdateFunctionStatus", { id, status: "FUNCTION_STATUS_PAUSED" }), {
        status: "FUNCTION_STATUS_PAUSED",
      });
      expectThat("not triggered", (await t.emit(id)).runIds.length === 0);
      await t.rpc("UpdateFunctionStatus", { id, status: "active" });
      expectThat("triggered", (await t.emit(id)).runIds.length === 1);
    },
  },
  {
    id: "2.3.archive",
    mark: "S",
    title: "an archived function is not triggered and keeps its runs",
    check: async (t) => {
      const id = await t.define("archived", nothing);
      const runId = await t.start(id);
      await t.rpc("UpdateFunctionStatus", { id, status: "FUNCTION_STATUS_ARCHIVED" });
      expectThat("not triggered", (await t.emit(id)).runIds.length === 0);
      expectLike(await t.rpc("GetFunction", { id }), { status: "FUNCTION_STATUS_ARCHIVED" });
      await t.reaches(runId, "completed");
    },
  },
  {
    id: "2.3.delete",
    mark: "S",
    title: "DeleteFunction answers an empty message, and the function triggers no more",
    check: async (t) => {
      const id = await t.define("deleted", nothing);
      expectLike(await t.rpc("DeleteFunction", { id }), {});
      expectThat("not triggered", (await t.emit(id)).runIds.length === 0);
    },
  },
  {
    id: "2.3.history",
    mark: "S",
    title: "ListFunctionHistory and GetFunctionAtVersion show earlier registrations",
    check: async (t) => {
      const id = t.name("history");
      const config = { id, endpointUrl: t.functions.endpoint(id) };
      await t.rpc("RegisterFunction", { ...config, description: "first" });
      await t.rpc("RegisterFunction", { ...config, description: "second", changeReason: "better" });
      const history = listIn(await t.rpc("ListFunctionHistory", { functionId: id, limit: 10 }));
      expectThat("two versions", history.length === 2);
      const old = await t.rpc("GetFunctionAtVersion", { functionId: id, version: 1 });
      expectThat("the first description", JSON.stringify(old).includes("first"));
    },
  },
  {
    id: "2.3.rollback",
    mark: "S",
    title: "RollbackFunction makes an earlier registration a new version",
    check: async (t) => {
      const id = t.name("rollback");
      const config = { id, endpointUrl: t.functions.endpoint(id) };
      await t.rpc("RegisterFunction", { ...config, description: "first" });
      await t.rpc("RegisterFunction", { ...config, description: "second" });
      await t.rpc("RollbackFunction", { functionId: id, version: 1, changeReason: "worse" });
      expectLike(await t.rpc("GetFunction", { id }), { description: "first", version: 3 });
    },
  },
  {
    id: "1.4.preferred-mode",
    mark: "S",
    title: "preferredMode may be push or EXECUTION_MODE_PUSH, and the same of pull",
    check: async (t) => {
      for (const [mode, wanted] of [
        ["push", "EXECUTION_MODE_PUSH"],
        ["EXECUTION_MODE_PUSH", "EXECUTION_MODE_PUSH"],
        ["pull", "EXECUTION_MODE_PULL"],
        ["EXECUTION_MODE_PULL", "EXECUTION_MODE_PULL"],
      ] as const) {
        const id = t.name("mode");
        const answer = await t.rpc("RegisterFunction", {
          id,
          preferredMode: mode,
          endpointUrl: "http://127.0.0.1:1/",
        });
        expectLike(answer, { function: { id, preferredMode: wanted } });
      }
    },
  },
  {
    id: "2.3.rest.list",
    mark: "G",
    title: "era A: GET /api/v1/functions has count, total_count and the REST shape",
    check: async (t) => {
      const id = await t.define("rest", nothing, { timeoutMs: 4_000 });
      const page = (await t.get(`/api/v1/functions?name=${id}&limit=10&status=active&mode=push`)) as Body;
      expectLike(page, { count: 1, total_count: 1 });
      expectLike((page["functions"] as Body[])[0], {
        id,
        slug: isText,
        triggers: isArray,
        status: "active",
        execution_mode: "push",
        endpoint_url: t.functions.endpoint(id),
        timeout_ms: 4_000,
        retry_attempts: 3,
        retry_delay_ms: isNumber,
        retry_backoff: isNumber,
        version: 1,
        created_at: isTime,
        updated_at: isTime,
      });
      expectLike(await t.get(`/api/v1/functions/${id}`), { id });
      await t.restFails("GET", `/api/v1/functions/${t.name("nobody")}`, 404);
    },
  },
];
