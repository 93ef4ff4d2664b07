import { expectLike, expectThat, isNumber, isText, isTime } from "../like.ts";
import type { Row } from "../row.ts";
import type { Body } from "../target.ts";

type Rows = Body[];

/** Section 2.7: projects and environments. What a row makes it deletes. */
export const directoryRows: Row[] = [
  {
    id: "2.7.projects",
    mark: "G",
    title: "projects are a bare array",
    check: async (t) => {
      const [first] = (await t.get("/api/v1/projects")) as unknown[];
      expectLike(first, { id: isText, name: isText });
    },
  },
  {
    id: "2.7.projects.write",
    mark: "G",
    title: "a project is made, renamed and deleted; a name is given once",
    check: async (t) => {
      const [name, next] = [t.name("project"), t.name("project")];
      const made = await t.send("POST", "/api/v1/projects", { name });
      const path = `/api/v1/projects/${String(made["id"])}`;
      expectLike(made, { id: isText, name, org_id: isText, created_at: isTime, updated_at: isTime });
      await t.restFails("POST", "/api/v1/projects", 409, { name });
      expectLike(await t.send("PUT", path, { name: next }), { id: made["id"] as string, name: next });
      const listed = (await t.get("/api/v1/projects")) as Rows;
      expectThat(
        "it is listed under its new name",
        listed.some((row) => row["id"] === made["id"] && row["name"] === next),
      );
      expectLike((await t.raw("DELETE", path)).json, { deleted: true });
      await t.restFails("DELETE", path, 404);
      await t.restFails("PUT", path, 404, { name });
      await t.restFails("POST", "/api/v1/projects", 400, { name: " " });
    },
  },
  {
    id: "2.7.projects.in-use",
    mark: "I",
    title: "a project that has environments, and the default one, are not deleted",
    check: async (t) => {
      const project = await t.send("POST", "/api/v1/projects", { name: t.name("project") });
      const path = `/api/v1/projects/${String(project["id"])}`;
      const environment = await t.send("POST", "/api/v1/environments", {
        name: t.name("env"),
        project_id: project["id"],
      });
      expectLike(environment, { project_id: project["id"] as string });
      await t.restFails("DELETE", path, 400);
      const own = (await t.get(`/api/v1/environments?project_id=${String(project["id"])}`)) as Rows;
      expectLike(
        own.map((row) => row["id"]),
        [environment["id"] as string],
      );
      await t.send("DELETE", `/api/v1/environments/${String(environment["id"])}`, undefined);
      await t.send("DELETE", path, undefined);
      await t.restFails("DELETE", "/api/v1/projects/proj_default", 400);
    },
  },
  {
    id: "2.7.environments",
    mark: "G",
    title: "environments are a bare array",
    check: async (t) => {
      const rows = (await t.get("/api/v1/environments")) as unknown[];
      expectThat("there is one", rows.length >= 1);
      expectLike(rows[0], { id: /^env_/, name: isText });
    },
  },
  {
    id: "2.7.environments.write",
    mark: "G",
    title: "an environment is made, renamed, colored and deleted, and keeps its id; a name is given once",
    check: async (t) => {
      const [name, next] = [t.name("env"), t.name("env")];
      const made = await t.send("POST", "/api/v1/environments", { name, color: "#102030" });
      const path = `/api/v1/environments/${String(made["id"])}`;
      const times = { created_at: isTime, updated_at: isTime };
      expectLike(made, { id: /^env_/, name, color: "#102030", project_id: isText, ...times });
      await t.restFails("POST", "/api/v1/environments", 409, { name });
      expectLike(await t.send("PUT", path, { name: next }), {
        id: made["id"] as string,
        name: next,
        color: "#102030",
      });
      expectLike(await t.send("PUT", path, { name: next, color: "#ffffff" }), { color: "#ffffff" });
      await t.restFails("PUT", path, 409, { name: "default" });
      for (const body of [{ name: "Not lower case" }, { name: "env_x" }, { color: "red" }, {}])
        await t.restFails("PUT", path, 400, body);
      // The old name is free again.
      const other = await t.send("POST", "/api/v1/environments", { name });
      expectThat("another id", other["id"] !== made["id"]);
      for (const id of [made["id"], other["id"]])
        expectLike(await t.send("DELETE", `/api/v1/environments/${String(id)}`, undefined), {
          status: isText,
        });
      await t.restFails("DELETE", path, 404);
      await t.restFails("POST", "/api/v1/environments", 404, {
        name: t.name("env"),
        project_id: "proj_none",
      });
    },
  },
  {
    id: "2.7.environments.default",
    mark: "I",
    title: "the environment that the engine serves is not deleted and keeps its name",
    check: async (t) => {
      const rows = (await t.get("/api/v1/environments")) as Rows;
      const served = rows.find((row) => row["name"] === "default");
      const path = `/api/v1/environments/${String(served?.["id"])}`;
      await t.restFails("DELETE", path, 400);
      await t.restFails("PUT", path, 400, { name: t.name("env") });
    },
  },
  {
    id: "2.7.environment-service",
    mark: "S",
    title: "EnvironmentService makes, gets, lists, rotates and deletes; the key is told once",
    check: async (t) => {
      const service = "EnvironmentService/";
      const name = t.name("env");
      const made = await t.rpc(`${service}CreateEnvironment`, { name });
      expectLike(made, { id: /^env_/, name, apiKey: /^ifkey_/, createdAt: isTime, updatedAt: isTime });
      const { id } = made;
      expectLike(await t.rpc(`${service}GetEnvironment`, { id }), { id: id as string, apiKey: undefined });
      const { environments } = await t.rpc(`${service}ListEnvironments`, {});
      expectThat(
        "it is listed",
        (environments as Rows).some((row) => row["id"] === id && row["apiKey"] === undefined),
      );
      const rotated = await t.rpc(`${service}RotateAPIKey`, { id });
      expectThat("another key", rotated["apiKey"] !== made["apiKey"]);
      await t.rpc(`${service}DeleteEnvironment`, { id });
      await t.rpcFails(`${service}GetEnvironment`, { id }, "not_found");
    },
  },
  {
    id: "2.14.audit.api-key",
    mark: "G",
    title: "the audit says which key did it, and lists what one key did",
    check: async (t) => {
      const secret = t.name("AUDITED").replaceAll("-", "_");
      await t.send("POST", "/api/v1/secrets", { name: secret, value: "x" });
      const { events } = (await t.get("/api/v1/audit?event_type=secret.created&limit=200")) as {
        events: Rows;
      };
      const row = events.find(({ payload }) => (payload as Body)["name"] === secret);
      const key = row?.["api_key_id"];
      if (t.apiKey === undefined) {
        expectThat("no key did it", row !== undefined && key === undefined);
        return;
      }
      expectLike(key, isText);
      expectThat("it is not the key itself", !t.apiKey.includes(String(key)));
      const own = (await t.get(
        `/api/v1/audit?api_key_id=${encodeURIComponent(String(key))}&limit=200`,
      )) as Body;
      expectThat(
        "all are this key's",
        (own["events"] as Rows).every((event) => event["api_key_id"] === key),
      );
      expectThat(
        "it is among them",
        (own["events"] as Rows).some((event) => event["id"] === row?.["id"]),
      );
      const nobody = (await t.get("/api/v1/audit?api_key_id=key%3Anobody")) as Body;
      expectLike(nobody, { events: (list) => (list as Rows).length === 0, total_count: 0 });
    },
  },
  {
    id: "2.14.auth-audit",
    mark: "S",
    title: "GetAuthAuditTrail tells which keys were made and revoked",
    check: async (t) => {
      const { id } = await t.rpc("EnvironmentService/CreateEnvironment", { name: t.name("env") });
      await t.rpc("EnvironmentService/RotateAPIKey", { id });
      await t.rpc("EnvironmentService/DeleteEnvironment", { id });
      const trail = await t.rpc("AuditService/GetAuthAuditTrail", { limit: 50 });
      const events = trail["events"] as Rows;
      expectLike(trail, { totalCount: isNumber });
      const told = events
        .filter(({ payload }) => (payload as Body)["environment_id"] === id)
        .map(({ eventType }) => eventType);
      expectLike(told, ["auth.key_revoked", "auth.key_created", "auth.key_revoked", "auth.key_created"]);
      expectThat(
        "nothing else is told",
        events.every(({ eventType }) => String(eventType).startsWith("auth.")),
      );
      const one = await t.rpc("AuditService/GetAuthAuditTrail", {
        eventType: "auth.key_created",
        limit: 1,
      });
      expectLike(one, { events: [{ eventType: "auth.key_created", createdAt: isTime }], nextCursor: isText });
      const next = await t.rpc("AuditService/GetAuthAuditTrail", {
        eventType: "auth.key_created",
        limit: 1,
        cursor: one["nextCursor"],
      });
      expectThat("another one", JSON.stringify(next["events"]) !== JSON.stringify(one["events"]));
    },
  },
];
