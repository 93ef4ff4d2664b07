import { expectLike, expectThat, isNumber, isTime } from "../like.ts";
import { openLive } from "../live-client.ts";
import type { Row } from "../row.ts";
import type { Body } from "../target.ts";

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
];
