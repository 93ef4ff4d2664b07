import { describe, expect, it } from "vitest";
import type { ApplicationTool } from "../../engines/engine.ts";
import { manualClock } from "../../testing/manual-clock.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import { ApplicationTools, CATALOG_TIMES } from "./catalog.ts";

const tool = (name: string, inputSchemaJson = "{}"): ApplicationTool => ({
  name,
  description: name,
  inputSchemaJson,
  timeoutMs: undefined,
});

function catalog(first: ApplicationTool[]) {
  const clock = manualClock();
  const engine = {
    declared: first as ApplicationTool[] | ToolFailure,
    looks: 0,
    listApplicationTools: async () => {
      engine.looks += 1;
      if (engine.declared instanceof ToolFailure) throw engine.declared;
      return engine.declared;
    },
  };
  const tools = new ApplicationTools(engine, clock);
  const changes: number[] = [];
  tools.onChanged(() => changes.push(clock.nowMs()));
  const names = async () => (await tools.list()).map(({ published }) => published);
  return { clock, engine, tools, changes, names };
}

describe("the catalogue of application tools", () => {
  it("asks for a list at most once a second, and once for many at a time", async () => {
    const { clock, engine, names } = catalog([tool("b.x"), tool("a.x")]);
    const lists = await Promise.all([names(), names(), names()]);
    expect(lists[2]).toEqual(["a_x", "b_x"]);
    await names();
    expect(engine.looks).toBe(1);
    await clock.pass(CATALOG_TIMES.freshMs);
    await names();
    expect(engine.looks).toBe(2);
  });

  it("finds a known tool without a look, by either name, and looks for an unknown one", async () => {
    const { clock, engine, tools, names } = catalog([tool("shop.refund")]);
    await names();
    await clock.pass(5_000);
    expect((await tools.find("shop_refund"))?.name).toBe("shop.refund");
    expect((await tools.find("shop.refund"))?.name).toBe("shop.refund");
    expect(engine.looks).toBe(1);
    engine.declared = [tool("shop.refund"), tool("shop.new")];
    expect((await tools.find("shop_new"))?.name).toBe("shop.new");
    expect(await tools.find("ghost")).toBeUndefined();
    expect(engine.looks).toBe(2);
  });

  it("hears of a change by itself, and tells of it once", async () => {
    const { clock, engine, tools, changes, names } = catalog([tool("a")]);
    tools.start();
    await clock.pass(1);
    expect(changes).toHaveLength(1);
    engine.declared = [tool("b")];
    await clock.pass(CATALOG_TIMES.pollMs * 3);
    expect(changes).toHaveLength(2);
    expect(await names()).toEqual(["b"]);
    await tools.close();
    expect(clock.asleep).toBe(0);
  });

  it("keeps what it knows when a look fails, and drops it when the engine has no such thing any more", async () => {
    const { clock, engine, names } = catalog([tool("a")]);
    await names();
    engine.declared = new ToolFailure({ code: "unavailable", message: "away", retryable: true });
    await clock.pass(2_000);
    expect(await names()).toEqual(["a"]);
    engine.declared = new ToolFailure({ code: "unimplemented", message: "no", retryable: false });
    await clock.pass(2_000);
    expect(await names()).toEqual([]);
  });

  it("serves the others when one is bad, and the first of two equal names", async () => {
    const bad = tool("bad", '{"type":"string"}');
    const { tools } = catalog([bad, tool("good"), { ...tool("good"), description: "second" }, tool("a b")]);
    expect((await tools.list()).map(({ name, description }) => [name, description])).toEqual([
      ["good", "good"],
    ]);
  });
});
