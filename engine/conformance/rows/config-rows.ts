import { expectLike, expectThat, isNumber, isTime } from "../like.ts";
import { poll } from "../../../loopback/testing/poll.ts";
import { openLive, openWatch } from "../live-client.ts";
import type { Row } from "../row.ts";
import { WAIT_MS, type Body } from "../target.ts";

/** Section 2.10: the config store. */
export const configRows: Row[] = [
  {
    id: "2.10.config",
    mark: "S",
    title:
      "a configuration is set whole, merged by PATCH, read with revision and updatedAt, listed and deleted",
    check: async (t) => {
      const name = t.name("config");
      const path = `/api/v1/config/${name}`;
      const first = await t.send("POST", path, { a: 1, keep: { deep: true } });
      expectLike(first, { name, revision: isNumber });
      const second = await t.send("PATCH", path, { a: 2, b: null });
      expectThat("revisions grow", Number(second["revision"]) > Number(first["revision"]));
      expectLike(await t.get(path), {
        name,
        data: { a: 2, keep: { deep: true }, b: null },
        revision: Number(second["revision"]),
        updatedAt: isTime,
      });
      const { configs } = (await t.get("/api/v1/config")) as { configs: Body[] };
      expectLike(
        configs.find((one) => one["name"] === name),
        { revision: Number(second["revision"]), updatedAt: isTime, data: undefined },
      );
      for (let times = 0; times < 2; times += 1) {
        const { status } = await t.raw("DELETE", path);
        expectThat(`deleting is answered ${status}`, status >= 200 && status < 300);
      }
      await t.restFails("GET", path, 404);
      const { buckets } = (await t.get("/api/v1/kv/buckets")) as { buckets: Body[] };
      expectThat(
        "no bucket of the engine's own is listed",
        !buckets.some((b) => String(b["name"]).startsWith("SYS_")),
      );
    },
  },
  {
    id: "2.10.config.live",
    mark: "S",
    title: "a change of a configuration is told as system.config.{name}.updated with its document",
    check: async (t) => {
      const name = t.name("config");
      const live = await openLive(t);
      try {
        await live.subscribe(`system.config.${name}.updated`);
        await t.send("POST", `/api/v1/config/${name}`, { on: true });
        const frame = await live.event("the update", () => true);
        expectLike(frame["data"], { name, data: { on: true }, revision: isNumber, updatedAt: isTime });
      } finally {
        live.close();
      }
    },
  },
  {
    id: "2.10.config.watch",
    mark: "S",
    title: "a configuration's own watch tells its document, then every change of it and nothing else",
    check: async (t) => {
      const [name, other] = [t.name("config"), t.name("config")];
      const path = `/api/v1/config/${name}`;
      const first = await t.send("POST", path, { step: 1 });
      const { frames, close } = await openWatch(t, `${path}/watch`);
      try {
        await t.send("POST", `/api/v1/config/${other}`, { step: "not asked for" });
        const second = await t.send("PATCH", path, { more: true });
        await t.raw("DELETE", path);
        await poll("a frame of the delete", () => frames.some((f) => f["operation"] === "delete"), WAIT_MS);
        const update = { type: "config_update", name, updatedAt: isTime };
        expectLike(frames, [
          { ...update, operation: "put", data: { step: 1 }, revision: Number(first["revision"]) },
          {
            ...update,
            operation: "put",
            data: { step: 1, more: true },
            revision: Number(second["revision"]),
          },
          { ...update, operation: "delete", data: null, revision: isNumber },
        ]);
      } finally {
        close();
      }
    },
  },
  {
    id: "2.10.config.watch.early",
    mark: "I",
    title: "a watch of a configuration that is not there yet tells when it comes; a bad name is refused",
    check: async (t) => {
      const name = t.name("config");
      const { frames, close } = await openWatch(t, `/api/v1/config/${name}/watch`);
      try {
        await t.send("POST", `/api/v1/config/${name}`, { on: true });
        await poll("its frame", () => frames.length > 0, WAIT_MS);
        expectLike(frames, [{ type: "config_update", operation: "put", name, data: { on: true } }]);
      } finally {
        close();
      }
      for (const [path, status] of [
        ["/api/v1/config/a.b/watch", "400"],
        ["/api/v1/config/a/b/watch", "404"],
      ] as const) {
        const answer = await openWatch(t, path).then(
          (watch) => {
            watch.close();
            return "opened";
          },
          (error: unknown) => String(error),
        );
        expectThat(`${path}: ${answer}`, answer.includes(status));
      }
    },
  },
];
