import { afterEach, expect, it, vi } from "vitest";
import { RunRequest, TERMINAL_LIMITS, type TerminalSession } from "../../bridge/contract/api.ts";
import { stubEngine } from "../testing/stub-engine.ts";
import { createTerminalBridge } from "./terminal-bridge.ts";

afterEach(() => void vi.restoreAllMocks());

const SESSION: TerminalSession = {
  session_id: "term_abcdefgh",
  agent: "claude",
  command: "make",
  shell: "/bin/bash",
  cwd: "/",
  status: "running",
  exit_code: null,
  signal: null,
  reason: null,
  started_at: "2026-11-30T09:00:00Z",
  ended_at: null,
  output_bytes: 0,
  left_behind: 0,
  size: { cols: 80, rows: 24 },
};

it("waits for a command to start as long as start-up files may take, and then as long as for any answer", async () => {
  const bridge = await stubEngine({
    "POST /v1/sessions": () => ({ status: 201, json: SESSION }),
    "GET /v1/sessions": () => ({ json: { sessions: [SESSION] } }),
  });
  const limit = vi.spyOn(AbortSignal, "timeout");
  const call = { signal: new AbortController().signal };
  try {
    const terminals = createTerminalBridge({ url: bridge.url, token: "ibb_x" });
    await terminals.list(call);
    await terminals.run(RunRequest.parse({ command: "make", agent: "claude" }), call);
  } finally {
    await bridge.close();
  }
  const [listMs = 0, runMs] = limit.mock.calls.map(([ms]) => ms);
  expect(runMs).toBe(TERMINAL_LIMITS.loginEnvironmentMs + listMs);
});
