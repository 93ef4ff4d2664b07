import { expectLike, expectThat, isText, isTime } from "../like.ts";
import { NotOffered, type Row } from "../row.ts";
import type { Body, Target } from "../target.ts";

const service = (t: Target, name: string, message: Body) => t.rpc(`EnvironmentService/${name}`, message);

/** An environment of its own, for as long as `work` takes. */
async function withEnvironment(
  t: Target,
  work: (environment: { id: string; name: string; created: Body }) => Promise<void>,
): Promise<void> {
  const name = t.name("env");
  const created = await service(t, "CreateEnvironment", { name });
  const id = String(created["id"]);
  try {
    await work({ id, name, created });
  } finally {
    await t.raw("DELETE", `/api/v1/environments/${id}`);
  }
}

/** Section 2.7: environments. */
export const environmentRows: Row[] = [
  {
    id: "2.7.environment-life",
    mark: "S",
    title: "an environment is made with a key of its own, read, listed and deleted; its name counts once",
    check: (t) =>
      withEnvironment(t, async ({ id, name, created }) => {
        const shape = { id: /^env_/, name, createdAt: isTime, updatedAt: isTime };
        expectLike(created, { ...shape, apiKey: /^ifkey_/ });
        const known = await service(t, "GetEnvironment", { id });
        expectLike(known, shape);
        expectThat("the key is told once", known["apiKey"] === undefined);
        const { environments } = await service(t, "ListEnvironments", {});
        expectThat(
          "listed",
          (environments as Body[]).some((one) => one["id"] === id),
        );
        await t.rpcFails("EnvironmentService/CreateEnvironment", { name }, "already_exists");
        await service(t, "DeleteEnvironment", { id });
        await t.rpcFails("EnvironmentService/GetEnvironment", { id }, "not_found");
      }),
  },
  {
    id: "2.7.environment-rest",
    mark: "G",
    title: "REST makes, colours, lists and deletes environments",
    check: async (t) => {
      const name = t.name("env");
      const made = await t.send("POST", "/api/v1/environments", { name, color: "#112233" });
      expectLike(made, { id: isText, name, color: "#112233", project_id: isText, created_at: isTime });
      const path = `/api/v1/environments/${String(made["id"])}`;
      expectLike(await t.send("PUT", path, { name, color: "#445566" }), { name, color: "#445566" });
      const rows = (await t.get("/api/v1/environments")) as Body[];
      expectLike(
        rows.find((row) => row["id"] === made["id"]),
        { color: "#445566" },
      );
      await t.send("DELETE", path, undefined);
      expectThat(
        "gone",
        !((await t.get("/api/v1/environments")) as Body[]).some((row) => row["id"] === made["id"]),
      );
    },
  },
  {
    id: "2.7.rotate-key",
    mark: "S",
    title: "RotateAPIKey gives a new key and ends the old one; a key sees its own environment's events only",
    check: (t) =>
      withEnvironment(t, async ({ id, created }) => {
        if (t.apiKey === undefined) throw new NotOffered("the server is used without a key");
        const as = (key: unknown) => ({ headers: { authorization: `Bearer ${String(key)}` } });
        const rotated = await service(t, "RotateAPIKey", { id });
        expectThat("another key", rotated["apiKey"] !== created["apiKey"]);
        expectLike((await t.raw("GET", "/api/v1/events", as(created["apiKey"]))).status, 401);
        await t.emit(t.name("elsewhere"));
        const own = await t.raw("GET", "/api/v1/events", as(rotated["apiKey"]));
        expectLike(own.status, 200);
        expectLike((own.json as Body)["events"], []);
      }),
  },
];
