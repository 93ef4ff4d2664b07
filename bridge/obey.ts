import { within, type Clock } from "../loopback/clock.ts";
import type { BridgeRequest, FromBridge } from "./contract/port.ts";
import type { Sessions } from "./sessions.ts";
import type { TabPort } from "./tab.ts";

/** While a transcript is written main hears so often that it is; it gives up after a few without a sign. */
const AT_IT_EVERY_MS = 5_000;

export type Obeyed = Pick<Sessions, "attach" | "stop" | "restart" | "save" | "rename" | "command" | "close">;

export interface ObeyParts {
  sessions: Obeyed;
  post: (message: FromBridge) => void;
  clock: Clock;
  problem: (text: string) => void;
}

/** Does what main asks for and answers it once, also when it fails. Never rejects. */
export async function answerRequest(
  request: BridgeRequest,
  port: TabPort | undefined,
  parts: ObeyParts,
): Promise<void> {
  try {
    await obey(request, port, parts);
  } catch (error) {
    port?.close();
    parts.problem(`${request.type}: ${String(error)}`);
    const reason = error instanceof Error ? error.message : String(error);
    parts.post({ type: "failed", request_id: request.request_id, reason });
  }
}

async function obey(
  request: BridgeRequest,
  port: TabPort | undefined,
  { sessions, post, clock }: ObeyParts,
): Promise<void> {
  const { request_id, session_id } = request;
  switch (request.type) {
    case "attach": {
      const attached = port !== undefined && sessions.attach(session_id, port);
      if (!attached) port?.close();
      post({ type: "attached", request_id, attached });
      return;
    }
    case "stop": {
      const response = (await sessions.stop(session_id, { atOnce: request.at_once === true })) ?? null;
      post({ type: "stopped", request_id, response });
      return;
    }
    case "restart":
      post({ type: "restarted", request_id, started: await sessions.restart(session_id) });
      return;
    case "save": {
      const saving = sessions.save(session_id, request.format, request.path);
      while (!(await within(saving, AT_IT_EVERY_MS, clock))) post({ type: "at_it", request_id });
      post({ type: "saved", request_id, problem: await saving });
      return;
    }
    case "rename":
      post({ type: "renamed", request_id, renamed: sessions.rename(session_id, request.name) });
      return;
    case "show_command":
      post({ type: "command", request_id, command: sessions.command(session_id) });
      return;
    case "close":
      post({ type: "closed", request_id, ...(await sessions.close(session_id)) });
      return;
  }
}
