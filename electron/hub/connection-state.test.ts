import { describe, expect, it } from "vitest";
import type { EngineConnection } from "../../mcp/contract/live.ts";
import type { ChildState } from "../children/supervisor.ts";
import { connectionState } from "./connection-state.ts";

const running: ChildState<number> = { name: "running", value: 1 };
const starting: ChildState<number> = { name: "starting" };
const crashed: ChildState<number> = { name: "crashed", problem: "The engine ended with code 1." };
const seen = (state: EngineConnection["state"], error?: string): EngineConnection => ({
  state,
  live: "websocket",
  url: "http://127.0.0.1:9123",
  since: "2026-01-01T00:00:00Z",
  ...(error === undefined ? {} : { error }),
});

describe("the state of a connection", () => {
  it.each([
    ["a crashed engine", crashed, running, seen("connected"), { state: "crashed", problem: crashed.problem }],
    ["a crashed tool server", running, crashed, undefined, { state: "crashed" }],
    ["an engine that starts", starting, running, seen("unreachable"), { state: "starting" }],
    ["a tool server that starts", running, starting, seen("connected"), { state: "starting" }],
    ["an engine nobody has heard of yet", running, running, undefined, { state: "starting" }],
    ["an engine that is being connected", running, running, seen("connecting"), { state: "starting" }],
    ["a connected engine", running, running, seen("connected"), { state: "connected", live: "websocket" }],
    [
      "a remote engine without a process of ours",
      undefined,
      running,
      seen("connected"),
      { state: "connected" },
    ],
    [
      "a wrong key",
      undefined,
      running,
      seen("unauthorized", "wrong key"),
      { state: "unauthorized", problem: "wrong key" },
    ],
    ["an engine that does not answer", running, running, seen("unreachable"), { state: "unreachable" }],
  ] as const)("%s", (_, engine, tools, engineSeen, expected) => {
    expect(connectionState(engine, tools, engineSeen)).toMatchObject(expected);
  });

  it("is never live while it is not connected", () => {
    expect(connectionState(crashed, running, seen("connected")).live).toBe("none");
    expect(connectionState(running, starting, seen("connected")).live).toBe("none");
  });
});
