import { nativeTheme } from "electron";
import type { AppInfo, Handlers } from "../contract/ipc.ts";
import type { Hub } from "../hub/hub.ts";
import type { PageEvents } from "../page-events.ts";
import type { SettingsStore } from "../settings.ts";

export interface AppHandlerParts {
  readonly info: AppInfo;
  readonly settings: SettingsStore;
  readonly hub: Hub;
  readonly page: PageEvents;
  /** What of the profile could not be read, a sentence each. */
  readonly problems: readonly string[];
}

type Rows =
  | "app:info"
  | "app:problems"
  | "settings:get"
  | "settings:set"
  | "connections:list"
  | "connections:restart";

/** What the app knows of itself, the person's choices, and the connections. */
export function appHandlers(parts: AppHandlerParts): Pick<Handlers, Rows> {
  const { settings, hub, page } = parts;
  return {
    "app:info": async () => parts.info,
    "app:problems": async () => [...parts.problems],
    "settings:get": async () => settings.choices,
    async "settings:set"({ theme, time_zone }) {
      const choices = settings.change({
        ...(theme === undefined ? {} : { theme }),
        ...(time_zone === undefined ? {} : { time_zone }),
      });
      nativeTheme.themeSource = choices.theme;
      page.tell("settings:changed", choices);
      return choices;
    },
    "connections:list": async () => hub.connections(),
    async "connections:restart"({ connection }) {
      const link = hub.link(connection);
      if (link === undefined) throw new Error(`there is no connection ${connection}`);
      link.restart();
      return {};
    },
  };
}
