import { expect, it } from "vitest";
import type { ProbeTool, ProbeView } from "../../electron/contract/probe.ts";
import { compareTools } from "./compare-tools.ts";

const view = (era: ProbeView["era"], tools: ProbeTool[]): ProbeView => ({
  era,
  tools,
  connect_ms: 1,
  list_ms: 1,
});
const tool = (name: string, more: object = {}): ProbeTool => ({ name, inputSchema: {}, ...more });

it("puts the tools of both eras side by side and names what is not the same", () => {
  const compared = compareTools([
    view("handshake", [
      tool("a", { inputSchema: { type: "object", x: 1 } }),
      tool("b", { title: "B" }),
      tool("c"),
    ]),
    view("2026-07-28", [
      tool("d"),
      tool("a", { inputSchema: { x: 1, type: "object" } }),
      tool("b", { title: "Bee", icons: [] }),
    ]),
  ]);
  expect(compared.map(({ name, differs }) => [name, differs])).toEqual([
    ["a", []],
    ["b", ["title", "icons"]],
    ["c", ["not in every era"]],
    ["d", ["not in every era"]],
  ]);
  expect(compared[2]?.seen.map((seen) => seen?.name ?? null)).toEqual(["c", null]);
});
