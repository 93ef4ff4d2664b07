import type { MessagePortMain, WebContents } from "electron";
import type * as z from "zod/v4";
import type { events, EventName } from "./contract/ipc.ts";
import { logError } from "./log.ts";
import { sendEvent, sendTerminalPort } from "./send-event.ts";

/** What main tells the main window's page. Nothing is kept for a window that is not there: a page reads when it opens. */
export interface PageEvents {
  tell<N extends EventName>(name: N, body: z.input<(typeof events)[N]>): void;
  /** Hands the page its end of a terminal's channel; the channel ends with the page. */
  sendPort(attachId: string, port: MessagePortMain): void;
  /** @param questions what a page that has just loaded cannot read by itself */
  attach(contents: WebContents, questions: () => { waiting: number }): void;
}

export function pageEvents(): PageEvents {
  let contents: WebContents | undefined;
  return {
    tell(name, body) {
      if (contents === undefined || contents.isDestroyed()) return;
      try {
        sendEvent(contents, name, body);
      } catch (cause) {
        logError("page", `the event ${name} could not be sent`, cause);
      }
    },
    sendPort(attachId, port) {
      if (contents === undefined || contents.isDestroyed()) port.close();
      else sendTerminalPort(contents, attachId, port);
    },
    attach(to, questions) {
      contents = to;
      to.on("did-finish-load", () => sendEvent(to, "questions:waiting", questions()));
    },
  };
}
