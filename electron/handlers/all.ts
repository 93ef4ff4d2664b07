import type { Consent } from "../consent/consent.ts";
import type { Handlers } from "../contract/ipc.ts";
import type { Performer } from "../mcp-endpoint/perform.ts";
import { appHandlers, type AppHandlerParts } from "./app.ts";
import { probeHandlers, type ProbeHandlerParts } from "./probe.ts";
import { questionHandlers } from "./questions.ts";
import { terminalHandlers } from "./terminals.ts";
import { tokenHandlers, type TokenHandlerParts } from "./tokens.ts";
import { toolHandlers } from "./tools.ts";
import { writesHandlers, type WritesHandlerParts } from "./writes.ts";
import type { TerminalBridge } from "../children/bridge.ts";
import type { ConsentWindow } from "../consent/window.ts";

export type AllHandlerParts = AppHandlerParts &
  Omit<TokenHandlerParts, "consent"> &
  Pick<ProbeHandlerParts, "probes"> &
  Omit<WritesHandlerParts, "consent"> & {
    readonly consent: Consent;
    readonly performer: Performer;
    readonly bridge: TerminalBridge;
    readonly questions: ConsentWindow;
  };

/** One handler for every row of the main window's contract. */
export function allHandlers(parts: AllHandlerParts): Handlers {
  return {
    ...appHandlers(parts),
    ...writesHandlers(parts),
    ...toolHandlers(parts.performer, parts.ending),
    ...tokenHandlers(parts),
    ...probeHandlers(parts),
    ...terminalHandlers(parts.bridge),
    ...questionHandlers(parts.consent, parts.questions),
  };
}
