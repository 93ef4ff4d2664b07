import {
  OutputResponse,
  RunResponse,
  type RunRequest,
  type TerminalSession,
} from "../../bridge/contract/api.ts";
import { readAnswer } from "../upstream/answer.ts";
import { BRIDGE_HINTS } from "../upstream/hints.ts";
import { HttpClient, type Call, type HttpRequest } from "../upstream/http.ts";
import { answerError } from "../upstream/http-errors.ts";

const CALL_MS = 10_000;

/** The app's terminal bridge. Every method rejects with a `ToolFailure` and with nothing else. */
export interface TerminalBridge {
  run(request: RunRequest, call: Call): Promise<TerminalSession>;
  read(session: { id: string; offset: number; limit: number }, call: Call): Promise<OutputResponse>;
}

export function createTerminalBridge({ url, token }: { url: string; token: string }): TerminalBridge {
  const http = new HttpClient({
    baseUrl: url,
    bearer: token,
    peer: { name: "the terminal bridge", hints: BRIDGE_HINTS },
    limits: { deadlineMs: CALL_MS },
  });
  const send = async (request: HttpRequest, call: Call): Promise<string> => {
    const answer = await http.send(request, call);
    if (answer.status < 200 || answer.status >= 300) throw answerError(http.peer, request, answer);
    return answer.text;
  };
  return {
    run: async (request, call) => {
      const body = JSON.stringify(request);
      const text = await send({ method: "POST", path: "/v1/sessions", body, effect: "once" }, call);
      return readAnswer(RunResponse, text, "the terminal bridge's answer to run");
    },
    read: async ({ id, offset, limit }, call) => {
      const path = `/v1/sessions/${encodeURIComponent(id)}/output?offset=${offset}&limit=${limit}`;
      const text = await send({ method: "GET", path, effect: "read" }, call);
      return readAnswer(OutputResponse, text, "the terminal bridge's answer to read");
    },
  };
}
