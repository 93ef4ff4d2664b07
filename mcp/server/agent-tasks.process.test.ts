import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundleEntry, type Bundle } from "../../loopback/testing/bundle.ts";
import { poll } from "../../loopback/testing/poll.ts";
import type { McpSession } from "../client/session.ts";
import { toolByName, type ToolName } from "../contract/tools.ts";
import { AGENT_TASKS, GIVEN_UP, type Agent, type AgentTask } from "../testing/agent-tasks.ts";
import { textOf, type Answer } from "../testing/clients.ts";
import { leaveDeadDeliveries } from "../testing/dead-deliveries.ts";
import { startDemo } from "../testing/demo.ts";
import { startRealEngine, type RealEngine } from "../testing/real-engine.ts";
import { openToolSession } from "../testing/tool-session.ts";

/** `UPDATE_DOCS=1` writes it anew. */
const DOC = new URL("../../docs/agent-tasks.md", import.meta.url);

let server: Bundle;
let engine: RealEngine;
let demo: { stop(): Promise<void> };
let session: McpSession;

beforeAll(async () => {
  [server, engine] = await Promise.all([
    bundleEntry(new URL("./main.ts", import.meta.url)),
    startRealEngine({}, async (dataDir) => {
      await leaveDeadDeliveries(dataDir, GIVEN_UP);
    }),
  ]);
  demo = await startDemo(engine);
  session = await openToolSession(server, engine, ["--allow-writes", "--static-only"]);
  // The demo's day: its retries take a moment.
  await poll("the demo's paused and failed runs", async () => {
    const answer = await session.callTool("ironflow_overview", {});
    const { paused_runs, failed_runs_24h } = answer.structuredContent as Record<string, number>;
    return (paused_runs ?? 0) > 0 && (failed_runs_24h ?? 0) > 0;
  });
  await poll("the demo's open breaker", async () =>
    JSON.stringify((await session.callTool("ironflow_circuit_breaker_list", {})).content).includes("open"),
  );
});

afterAll(async () => {
  await session.close();
  await demo.stop();
  await engine.stop();
  await server.remove();
});

function agent(): Agent & { readonly made: ToolName[] } {
  const made: ToolName[] = [];
  const call = async (name: ToolName, args: Record<string, unknown>): Promise<Answer> => {
    made.push(name);
    return session.callTool(name, args);
  };
  return {
    made,
    async call(name, args) {
      const answer = await call(name, args);
      if (answer.isError === true) throw new Error(`${name}: ${JSON.stringify(answer.content)}`);
      return answer.structuredContent as never; // the tool's own schema says what it is
    },
    async refused(name, args) {
      const answer = await call(name, args);
      if (answer.isError !== true) throw new Error(`${name} was not refused`);
      return textOf(answer) as { code: string; reason?: string };
    },
  };
}

it.each(AGENT_TASKS.map((task): [string, AgentTask] => [task.task, task]))(
  "%s",
  async (_, { solve, calls, expected }) => {
    const operator = agent();
    expect(await solve(operator)).toEqual(expected);
    expect(operator.made).toEqual(calls);
  },
);

it("are the tasks of docs/agent-tasks.md, with their calls", () => {
  const text = document();
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(DOC, text);
  expect(readFileSync(DOC, "utf8")).toBe(text);
});

function document(): string {
  const count = AGENT_TASKS.reduce((sum, { calls }) => sum + calls.length, 0);
  const sections = AGENT_TASKS.map(({ task, calls }, index) => {
    const lines = calls.map((name, at) => `${at + 1}. \`${name}\` (${toolByName(name)?.title ?? ""})`);
    return `## ${index + 1}. ${task}\n\n${lines.join("\n")}\n`;
  });
  return [
    "# What an agent can do with the tools alone\n",
    `${AGENT_TASKS.length} tasks of an operator in the demo's order shop, each done with nothing but the tools of \`ironbridge-mcp --allow-writes\`, and the calls that it took, ${count} in all. The steps follow from the tools' own texts. \`mcp/server/agent-tasks.process.test.ts\` makes these calls against the embedded engine with the demo running and two orders whose deliveries an earlier, full disk had made it give up, checks each answer, and writes this page (\`UPDATE_DOCS=1\`).\n`,
    ...sections,
  ].join("\n");
}
