import { ToTab, type FromTab } from "../../bridge/contract/port.ts";
import type { Door } from "../window.ts";

export type TerminalPort = {
  send: (message: FromTab) => void;
  close: () => void;
};

/** More than this is not kept for a port that has not come yet: a size, whether it is visible, a few keys. */
const KEPT_MESSAGES = 64;

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
  const kept: FromTab[] = [];

  function end(reason?: string) {
    if (over) return;
    over = true;
    unlisten();
    port?.close();
    if (reason !== undefined) on.closed(reason);
  }

  // Listening comes before asking: the port may be here before the answer.
  const unlisten = door.listenForPorts((id, given) => {
    if (id !== sessionId || over || port !== undefined) return;
    port = given;
    port.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (over) return;
      const parsed = ToTab.safeParse(data);
      if (parsed.success) on.message(parsed.data);
      else end(`the terminal sent something unknown: ${parsed.error.issues[0]?.message ?? ""}`);
    });
    port.addEventListener("close", () => end("the terminal bridge closed it"));
    port.start();
    for (const message of kept.splice(0)) port.postMessage(message);
  });

  door.request("terminals:attach", { session_id: sessionId }).then(
    ({ attached }) => {
      if (!attached) end("there is no such terminal any more");
    },
    (error: unknown) => end(error instanceof Error ? error.message : String(error)),
  );

  return {
    send(message) {
      if (over) return;
      if (port !== undefined) port.postMessage(message);
      else if (kept.length < KEPT_MESSAGES) kept.push(message);
    },
    close: () => end(),
  };
}
