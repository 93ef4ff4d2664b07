import type { AppInfo, Settings } from "../../electron/contract/ipc.ts";
import type * as z from "zod/v4";
import { messageOf } from "./answer.ts";
import type { Slice } from "./slice.ts";

export type SettingsSlice = {
  settings: Settings;
  info: z.output<typeof AppInfo> | null;
  /** Why the last change was not kept. */
  settingsProblem: string | null;
  changeSettings: (change: Partial<Settings>) => Promise<void>;
  /** Reads settings and app facts, and follows them until called off. */
  followSettings: () => () => void;
};

export const settingsSlice: Slice<SettingsSlice> = (set, get, deps) => ({
  settings: { theme: "system", time_zone: "local" },
  info: null,
  settingsProblem: null,
  async changeSettings(change) {
    const before = get().settings;
    // Shown at once; put back when main could not keep it.
    set({ settings: { ...before, ...change }, settingsProblem: null });
    try {
      set({ settings: await deps.door.request("settings:set", change) });
    } catch (error) {
      set({ settings: before, settingsProblem: messageOf(error) });
    }
  },
  followSettings() {
    const stop = deps.door.listen("settings:changed", (settings) => set({ settings }));
    const fail = (error: unknown) => set({ settingsProblem: messageOf(error) });
    deps.door.request("settings:get", {}).then((settings) => set({ settings }), fail);
    deps.door.request("app:info", {}).then((info) => set({ info }), fail);
    return stop;
  },
});
