import { createStore, type StoreApi } from "zustand/vanilla";
import { functionsSlice, type FunctionsSlice } from "../functions/functions-slice.ts";
import { runSlice, type RunSlice } from "../runs/run-slice.ts";
import { runsSlice, type RunsSlice } from "../runs/runs-slice.ts";
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

export type AppState = RouteSlice & ConnectionSlice & SettingsSlice & RunsSlice & RunSlice & FunctionsSlice;
export type AppStore = StoreApi<AppState>;

/** How often pages read again where the engine announces nothing. */
const POLL_MS = 1_500;

/** The one store. It knows no React; `door` and `clock` are its only ways out. */
export function createAppStore(door: Door, clock: Clock): AppStore {
  return createStore<AppState>()((set, get) => {
    const call: Call = async (tool, input, output) => {
      const connection = get().connectionId;
      if (connection === null) return appFailure("there is no engine to ask", "app_unreachable");
      try {
        const outcome = await door.request("tool:call", { connection, tool, arguments: input });
        return outcome.ok ? parseAnswer(tool, output, outcome.data) : outcome;
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
      ...runsSlice(set, get, deps),
      ...runSlice(set, get, deps),
      ...functionsSlice(set, get, deps),
    };
  });
}
