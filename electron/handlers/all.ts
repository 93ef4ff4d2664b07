import type { Consent } from "../consent/consent.ts";
import type { Handlers } from "../contract/ipc.ts";
import type { Performer } from "../mcp-endpoint/perform.ts";
import type { Audit } from "../mcp-endpoint/audit.ts";
import { approvalHandlers, type ApprovalHandlerParts } from "./approvals.ts";
import { auditHandlers } from "./audit.ts";
import { permissionHandlers, type PermissionHandlerParts } from "./permissions.ts";
import { appHandlers, type AppHandlerParts } from "./app.ts";
import { engineHandlers, type EngineHandlerParts } from "./engines.ts";
import { probeHandlers, type ProbeHandlerParts } from "./probe.ts";
import { questionHandlers } from "./questions.ts";
import { terminalHandlers } from "./terminals.ts";
import { tokenHandlers, type TokenHandlerParts } from "./tokens.ts";
import { toolHandlers } from "./tools.ts";
import { writesHandlers, type WritesHandlerParts } from "./writes.ts";
import type { TerminalBridge } from "../children/bridge.ts";
import type { TerminalHistory } from "../terminal-history.ts";
import type { TerminalNotices } from "../terminal-notices.ts";
import type { ConsentWindow } from "../consent/window.ts";

export type AllHandlerParts = AppHandlerParts &
  Omit<TokenHandlerParts, "consent"> &
  Pick<ProbeHandlerParts, "probes"> &
  Omit<EngineHandlerParts, "consent" | "audit"> &
  Omit<ApprovalHandlerParts, "consent"> &
  Omit<PermissionHandlerParts, "consent"> &
  Omit<WritesHandlerParts, "consent"> & {
    readonly consent: Consent;
    readonly performer: Performer;
    readonly audit: Audit;
    readonly bridge: TerminalBridge;
    readonly history: TerminalHistory;
    readonly notices: TerminalNotices;
    readonly questions: ConsentWindow;
  };

/** One handler for every row of the main window's contract. */
export function allHandlers(parts: AllHandlerParts): Handlers {
  return {
    ...appHandlers(parts),
    ...engineHandlers(parts),
    ...writesHandlers(parts),
    ...toolHandlers(parts.performer, parts.ending),
    ...tokenHandlers(parts),
    ...probeHandlers(parts),
    ...permissionHandlers(parts),
    ...approvalHandlers(parts),
    ...auditHandlers(parts.audit),
    ...terminalHandlers(parts.bridge, parts.history, parts.notices),
    ...questionHandlers(parts.consent, parts.questions),
  };
}
