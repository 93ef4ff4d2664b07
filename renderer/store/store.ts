import { createStore, type StoreApi } from "zustand/vanilla";
import { actionsSlice, type ActionsSlice } from "../actions/actions-slice.ts";
import { agentsSlice, type AgentsSlice } from "../agents/agents-slice.ts";
import { approvalsSlice, type ApprovalsSlice } from "../approvals/approvals-slice.ts";
import { auditSlice, type AuditSlice } from "../audit/audit-slice.ts";
import { breakersSlice, type BreakersSlice } from "../breakers/breakers-slice.ts";
import { deadLettersSlice, type DeadLettersSlice } from "../dead-letters/dead-letters-slice.ts";
import { enginesSlice, type EnginesSlice } from "../engines/engines-slice.ts";
import { outboxSlice, type OutboxSlice } from "../dead-letters/outbox-slice.ts";
import { eventSlice, type EventSlice } from "../events/event-slice.ts";
import { eventsSlice, type EventsSlice } from "../events/events-slice.ts";
import { functionSlice, type FunctionSlice } from "../functions/function-slice.ts";
import { functionsSlice, type FunctionsSlice } from "../functions/functions-slice.ts";
import { vitalsSlice, type VitalsSlice } from "../overview/vitals-slice.ts";
import { paletteSlice, type PaletteSlice } from "../palette/palette-slice.ts";
import { probeSlice, type ProbeSlice } from "../probe/probe-slice.ts";
import { runSlice, type RunSlice } from "../runs/run-slice.ts";
import { runsSlice, type RunsSlice } from "../runs/runs-slice.ts";
import { terminalsSlice, type TerminalsSlice } from "../terminals/terminals-slice.ts";
import type { Door } from "../window.ts";
import { appFailure, messageOf, parseAnswer } from "./answer.ts";
import { currentOf } from "./apply-connections.ts";
import { createChanges } from "./changes.ts";
import { connectionSlice, type ConnectionSlice } from "./connection-slice.ts";
import type { Call, Deps } from "./deps.ts";
import { HOME, type Route } from "./route.ts";
import { settingsSlice, type SettingsSlice } from "./settings-slice.ts";
import type { Clock } from "./watch.ts";

export type RouteSlice = { route: Route };

export type AppState = RouteSlice &
  ConnectionSlice &
  SettingsSlice &
  ActionsSlice &
  AgentsSlice &
  ApprovalsSlice &
  AuditSlice &
  BreakersSlice &
  DeadLettersSlice &
  EnginesSlice &
  EventSlice &
  EventsSlice &
  FunctionSlice &
  FunctionsSlice &
  OutboxSlice &
  PaletteSlice &
  VitalsSlice &
  ProbeSlice &
  RunSlice &
  RunsSlice &
  TerminalsSlice;
export type AppStore = StoreApi<AppState>;

/** How often pages read again where the engine announces nothing. */
const POLL_MS = 1_500;

/** The one store. It knows no React; `door` and `clock` are its only ways out. */
export function createAppStore(door: Door, clock: Clock): AppStore {
  return createStore<AppState>()((set, get) => {
    const call: Call = async (tool, input) => {
      const connection = get().connectionId;
      if (connection === null) return appFailure("there is no engine to ask", "app_unreachable");
      try {
        const outcome = await door.request("tool:call", { connection, tool, arguments: input });
        return outcome.ok ? parseAnswer(tool, outcome.data) : outcome;
      } catch (error) {
        return appFailure(messageOf(error), "app_unreachable");
      }
    };
    const pollMs = () => (currentOf(get())?.live === "none" ? POLL_MS : undefined);
    const deps: Deps = { door, clock, changes: createChanges(), call, pollMs };
    return {
      route: HOME,
      ...connectionSlice(set, get, deps),
      ...settingsSlice(set, get, deps),
      ...actionsSlice(set, get, deps),
      ...agentsSlice(set, get, deps),
      ...approvalsSlice(set, get, deps),
      ...auditSlice(set, get, deps),
      ...breakersSlice(set, get, deps),
      ...deadLettersSlice(set, get, deps),
      ...enginesSlice(set, get, deps),
      ...eventSlice(set, get, deps),
      ...eventsSlice(set, get, deps),
      ...outboxSlice(set, get, deps),
      ...paletteSlice(set, get, deps),
      ...functionSlice(set, get, deps),
      ...functionsSlice(set, get, deps),
      ...vitalsSlice(set, get, deps),
      ...probeSlice(set, get, deps),
      ...runSlice(set, get, deps),
      ...runsSlice(set, get, deps),
      ...terminalsSlice(set, get, deps),
    };
  });
}
