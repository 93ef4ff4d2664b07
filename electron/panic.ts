import { globalShortcut } from "electron";
import type { TerminalBridge } from "./children/bridge.ts";
import { createPanic, type Panic } from "./consent/panic.ts";
import { ENDED_STATUSES } from "../bridge/contract/api.ts";
import { logError } from "./log.ts";
import type { Audit } from "./mcp-endpoint/audit.ts";
import type { PageEvents } from "./page-events.ts";
import { PANIC_SHORTCUT } from "./contract/ipc.ts";
import type { SettingsStore } from "./settings.ts";

export interface OpenPanicParts {
  readonly settings: SettingsStore;
  readonly audit: Audit;
  readonly bridge: Pick<TerminalBridge, "sessions" | "stop">;
  readonly page: PageEvents;
  readonly now: () => Date;
  readonly refuseQuestions: () => void;
}

export interface PanicWithShortcut extends Panic {
  /** Whether the shortcut is ours; where it is not, it is tried again. */
  takeShortcut(): boolean;
  close(): void;
}

/** The switch that stops everything agents do, on the page's button and on one shortcut of the whole desktop. */
export function openPanic(parts: OpenPanicParts): PanicWithShortcut {
  const { settings, audit, bridge, page } = parts;
  const panic = createPanic({
    since: settings.stored.stopped_since,
    now: parts.now,
    keep: (since) => void settings.change({ stopped_since: since }),
    refuseQuestions: parts.refuseQuestions,
    running: () =>
      bridge
        .sessions()
        .filter(({ status, left_behind: left }) => !ENDED_STATUSES.includes(status) || left > 0)
        .map(({ session_id: id }) => id),
    async stopTerminal(id) {
      const { outcome, alive } = await bridge.stop(id, true);
      if (outcome === "not_confirmed") throw new Error(`${alive} processes could not be proved gone`);
    },
    record: (event, detail) => audit.write({ event, user: "user", detail }),
    onChanged: (state) => page.tell("panic:changed", state),
    onProblem: (what, cause) => logError("panic", what, cause),
  });
  const press = () => {
    panic.stop().catch((cause: unknown) => logError("panic", "not everything could be stopped", cause));
  };
  const takeShortcut = () =>
    globalShortcut.isRegistered(PANIC_SHORTCUT) || globalShortcut.register(PANIC_SHORTCUT, press);
  if (!takeShortcut()) logError("panic", `the shortcut ${PANIC_SHORTCUT} belongs to another program`);
  return {
    ...panic,
    takeShortcut,
    get state() {
      return panic.state; // a copy would stay as it is now
    },
    close: () => globalShortcut.unregister(PANIC_SHORTCUT),
  };
}
