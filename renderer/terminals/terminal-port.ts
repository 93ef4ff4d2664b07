import { TERMINAL_LIMITS } from "../../bridge/contract/api.ts";
import { ToTab, type FromTab } from "../../bridge/contract/port.ts";
import type { Door } from "../window.ts";

export type TerminalPort = {
  send: (message: FromTab) => void;
  close: () => void;
};

/** Of what is typed more than this is not kept for a port that has not come yet: the bridge would not take more, either. */
const KEPT_INPUT_CHARS = TERMINAL_LIMITS.waitingInputBytes;

/**
 * Attaches to a session's output. `onMessage` gets what the bridge sends, parsed; `onClosed` is told once, with the reason,
 * when nothing more will come without our asking.
 */
export function openTerminalPort(
  door: Door,
  sessionId: string,
  on: { message: (message: ToTab) => void; closed: (reason: string) => void },
): TerminalPort {
  let port: MessagePort | undefined;
  let over = false;
  let kept: FromTab[] = [];
  let keptChars = 0;

  function end(reason?: string) {
    if (over) return;
    over = true;
    unlisten();
    port?.close();
    if (reason !== undefined) on.closed(reason);
  }

  // By a number that no other page has either: a view that goes and comes has one port each, and takes its own only.
  const attachId = crypto.randomUUID();
  // Listening comes before asking: the port may be here before the answer. Once it is called off, the door closes the port.
  const unlisten = door.takePort(attachId, (given) => {
    port = given;
    port.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (over) return;
      const parsed = ToTab.safeParse(data);
      if (parsed.success) on.message(parsed.data);
      else end(`the terminal sent something unknown: ${parsed.error.issues[0]?.message ?? ""}`);
    });
    port.addEventListener("close", () => end("the terminal bridge closed it"));
    port.start();
    for (const message of kept) port.postMessage(message);
    kept = [];
  });

  door.request("terminals:attach", { session_id: sessionId, attach_id: attachId }).then(
    ({ attached }) => {
      if (!attached) end("there is no such terminal any more");
    },
    (error: unknown) => end(error instanceof Error ? error.message : String(error)),
  );

  return {
    send(message) {
      if (over) return;
      if (port !== undefined) port.postMessage(message);
      else if (message.type !== "input")
        // Of what is a state the last counts.
        kept = [...kept.filter(({ type }) => type !== message.type), message];
      else if (keptChars + message.text.length <= KEPT_INPUT_CHARS) {
        keptChars += message.text.length;
        kept.push(message);
      } else on.message({ type: "refused", chars: message.text.length });
    },
    close: () => end(),
  };
}
