import { expectLike, expectThat, isNumber, isText, isTime, isUnset } from "../like.ts";
import type { Row } from "../row.ts";
import type { Body, Target } from "../target.ts";

const nameFor = (t: Target) => t.name("secret").toUpperCase().replaceAll("-", "_");
const path = (name: string) => `/api/v1/secrets/${name}`;
const value = "correct horse battery staple";

async function make(t: Target): Promise<string> {
  const name = nameFor(t);
  await t.send("POST", "/api/v1/secrets", { name, value, description: "for a test" });
  return name;
}

/** Section 2.9 and the ways a function gets a secret (3.1, 4). */
export const secretRows: Row[] = [
  {
    id: "2.9.list",
    mark: "G",
    title: "secrets are a bare array of names and revisions, without values",
    check: async (t) => {
      const name = await make(t);
      const answer = await t.raw("GET", "/api/v1/secrets");
      const row = (answer.json as Body[]).find((one) => one["name"] === name);
      expectLike(row, { name, revision: isNumber, description: "for a test", value: isUnset });
      expectThat("no value in the answer", !answer.text.includes(value));
    },
  },
  {
    id: "2.9.lifecycle",
    mark: "G",
    title: "a secret is made, read, given another value, renamed and deleted; no answer holds a value",
    check: async (t) => {
      const name = nameFor(t);
      const other = `${name}_2`;
      const answers = [
        await t.raw("POST", "/api/v1/secrets", { body: { name, value } }),
        await t.raw("GET", path(name)),
        await t.raw("PUT", path(name), { body: { value: `${value} again` } }),
        await t.raw("PATCH", path(name), { body: { name: other, description: "renamed" } }),
        await t.raw("GET", path(other)),
      ];
      for (const answer of answers) {
        expectLike(answer, { status: 200, json: { name: isText, revision: isNumber, created_at: isTime } });
        expectThat("no value in the answer", !answer.text.includes(value));
      }
      const revisions = answers.map(({ json }) => Number((json as Body)["revision"]));
      expectThat("each change has a greater revision", (revisions[4] ?? 0) > (revisions[0] ?? 0));
      await t.restFails("GET", path(name), 404);
      const gone = await t.raw("DELETE", path(other));
      expectThat("deleted", gone.status >= 200 && gone.status < 300);
      expectLike(await t.restFails("GET", path(other), 404), /secret not found/);
    },
  },
  {
    id: "2.9.conflict",
    mark: "U",
    title: "a second POST of a name is 409, a PUT of an unknown one 404, a bad name 400",
    check: async (t) => {
      const name = await make(t);
      await t.restFails("POST", "/api/v1/secrets", 409, { name, value });
      await t.restFails("PUT", path(nameFor(t)), 404, { value });
      await t.restFails("POST", "/api/v1/secrets", 400, { name: "no name", value });
    },
  },
  {
    id: "2.9.environment-header",
    mark: "M",
    title: "the environment header is an id, and another environment's is refused",
    check: async (t) => {
      const headers = { "x-ironflow-environment": "env_of_somebody_else" };
      const answer = await t.raw("GET", "/api/v1/secrets", { headers });
      expectThat(`a 4xx, not ${answer.status}`, answer.status >= 400 && answer.status < 500);
    },
  },
  {
    id: "3.1.secrets",
    mark: "S",
    title: "a push call carries the secrets that its function declared, and no others",
    check: async (t) => {
      const [declared, other] = [await make(t), await make(t)];
      const id = await t.define("uses-a-secret", async () => "done", { secrets: [declared] });
      const without = await t.define("uses-none", async () => "done");
      const runs = [await t.start(id), await t.start(without)];
      for (const run of runs) await t.reaches(run, "completed");
      const [first, second] = runs.map(
        (run) =>
          JSON.parse(t.functions.received.find(({ body }) => body.includes(run))?.body ?? "{}") as Body,
      );
      expectLike(first, { secrets: { [declared]: value, [other]: isUnset } });
      expectLike(second, { secrets: isUnset });
    },
  },
  {
    id: "3.1.secrets.missing",
    mark: "U",
    title: "a function whose secret is not set is not called; its run can be resumed once it is",
    check: async (t) => {
      const name = nameFor(t);
      const id = await t.define("lacks-a-secret", async () => "done", {
        secrets: [name],
        retry: { maxAttempts: 1, initialDelayMs: 10 },
      });
      const run = await t.start(id);
      expectLike(await t.reaches(run, "paused"), { error: { code: "SECRET_UNAVAILABLE", message: isText } });
      expectThat("no call", !t.functions.received.some(({ body }) => body.includes(run)));
      await t.send("POST", "/api/v1/secrets", { name, value });
      await t.rpc("ResumeRun", { runId: run });
      await t.reaches(run, "completed");
    },
  },
];
