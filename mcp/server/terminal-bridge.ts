import type * as z from "zod/v4";
import {
  InputResponse,
  ListResponse,
  OutputResponse,
  ResizeResponse,
  RunResponse,
  StopResponse,
  TERMINAL_LIMITS,
  type OutputQuery,
  type RunRequest,
  type TerminalSession,
  type TerminalSize,
} from "../../bridge/contract/api.ts";
import { readAnswer } from "../upstream/answer.ts";
import { BRIDGE_HINTS } from "../upstream/hints.ts";
import { HttpClient, type Call, type HttpRequest } from "../upstream/http.ts";
import { answerError } from "../upstream/http-errors.ts";

const CALL_MS = 10_000;
/** The first commands wait for the person's start-up files, as long as the bridge does, and start then. */
const RUN_MS = TERMINAL_LIMITS.loginEnvironmentMs + CALL_MS;
/** The longest wait that may be asked for, and a call. */
const LONGEST_CALL_MS = 65_000;
/** Stopping climbs a ladder of several seconds. */
const STOP_MS = 20_000;

export type TerminalRead = { id: string } & Pick<
  OutputQuery,
  "offset" | "limit" | "format" | "wait_ms" | "reader"
> &
  Partial<Pick<OutputQuery, "wait_for" | "text">>;

/** The app's terminal bridge. Every method rejects with a `ToolFailure` and with nothing else. */
export interface TerminalBridge {
  run(request: RunRequest, call: Call): Promise<TerminalSession>;
  read(read: TerminalRead, call: Call): Promise<OutputResponse>;
  list(call: Call): Promise<readonly TerminalSession[]>;
  stop(id: string, call: Call): Promise<StopResponse>;
  type(id: string, text: string, call: Call): Promise<InputResponse>;
  resize(id: string, size: TerminalSize, call: Call): Promise<ResizeResponse>;
}

export function createTerminalBridge({ url, token }: { url: string; token: string }): TerminalBridge {
  const http = new HttpClient({
    baseUrl: url,
    bearer: token,
    peer: { name: "the terminal bridge", hints: BRIDGE_HINTS },
    limits: { deadlineMs: LONGEST_CALL_MS },
  });
  async function ask<T>(what: string, schema: z.ZodType<T>, request: HttpRequest, call: Call): Promise<T> {
    const answer = await http.send(request, { timeoutMs: CALL_MS, ...call });
    if (answer.status < 200 || answer.status >= 300) throw answerError(http.peer, request, answer);
    return readAnswer(schema, answer.text, `the terminal bridge's answer to ${what}`);
  }
  const pathOf = (id: string, what: string) => `/v1/sessions/${encodeURIComponent(id)}/${what}`;
  return {
    run: (command, call) => {
      const body = JSON.stringify(command);
      const request = { method: "POST", path: "/v1/sessions", body, effect: "once" } as const;
      return ask("run", RunResponse, request, { timeoutMs: RUN_MS, ...call });
    },
    read: ({ id, offset, limit, format, reader, wait_for, text, wait_ms }, call) => {
      const query = new URLSearchParams({ offset: String(offset), limit: String(limit), format, reader });
      if (wait_for !== undefined) {
        query.set("wait_for", wait_for);
        query.set("wait_ms", String(wait_ms));
      }
      if (text !== undefined) query.set("text", text);
      const timeoutMs = CALL_MS + (wait_for === undefined ? 0 : wait_ms);
      const path = `${pathOf(id, "output")}?${query.toString()}`;
      return ask("read", OutputResponse, { method: "GET", path, effect: "read" }, { timeoutMs, ...call });
    },
    list: async (call) => {
      const request = { method: "GET", path: "/v1/sessions", effect: "read" } as const;
      return (await ask("list", ListResponse, request, call)).sessions;
    },
    stop: (id, call) => {
      const request = { method: "POST", path: pathOf(id, "stop"), effect: "once" } as const;
      return ask("stop", StopResponse, request, { timeoutMs: STOP_MS, ...call });
    },
    type: (id, text, call) => {
      const body = JSON.stringify({ text });
      const request = { method: "POST", path: pathOf(id, "input"), body, effect: "once" } as const;
      return ask("input", InputResponse, request, call);
    },
    resize: (id, size, call) => {
      const body = JSON.stringify(size);
      const request = { method: "POST", path: pathOf(id, "resize"), body, effect: "once" } as const;
      return ask("resize", ResizeResponse, request, call);
    },
  };
}
