import type { Consent } from "../consent/consent.ts";
import type { ConsentWindow } from "../consent/window.ts";
import type { Handlers } from "../contract/ipc.ts";

/** Brings a waiting question to the front. It cannot be answered from the main window. */
export function questionHandlers(
  consent: Pick<Consent, "queue">,
  window: ConsentWindow,
): Pick<Handlers, "questions:show"> {
  return {
    async "questions:show"() {
      window.show();
      return { waiting: consent.queue.count };
    },
  };
}
