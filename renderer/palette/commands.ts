import type { TerminalSession } from "../../bridge/contract/api.ts";
import type { EngineInfo } from "../../electron/contract/engines.ts";
import type { Settings } from "../../electron/contract/ipc.ts";
import { madeVisible } from "../../electron/contract/visible.ts";
import type { Page } from "../store/route.ts";
import { formatRoute } from "../store/route.ts";
import { findCommands, looksLikeId } from "./find-commands.ts";
import { rank } from "./rank.ts";

/** What choosing a command does: all of it looks or navigates, nothing changes anything at an engine. */
export type PaletteAction =
  | { readonly type: "go"; readonly path: string }
  /** As the engines' list does it. */
  | { readonly type: "engine"; readonly id: string }
  | { readonly type: "theme"; readonly theme: Settings["theme"] };

export type Command = {
  readonly key: string;
  readonly kind: "Page" | "Terminal" | "Engine" | "Function" | "Theme" | "Runs";
  readonly title: string;
  /** What is shown beside the title, and found as well; "" = nothing. */
  readonly aside: string;
  readonly action: PaletteAction;
};

/** What the window knows now. What it has not read yet is left out. */
export type Known = {
  readonly pages: readonly { readonly page: Page; readonly title: string }[];
  readonly terminals: readonly TerminalSession[];
  readonly engines: readonly EngineInfo[];
  readonly functionIds: readonly string[];
  readonly themes: readonly Settings["theme"][];
  readonly theme: Settings["theme"];
};

/** So much of a command is found and shown: no row has room for more. */
const COMMAND_CHARS = 512;

/** Everything that is listed, in the order of an empty field. Names from outside are made visible. */
export function commandsOf(known: Known): readonly Command[] {
  const go = (...route: Parameters<typeof formatRoute>): PaletteAction => ({
    type: "go",
    path: formatRoute(...route),
  });
  return [
    ...known.pages.map(({ page, title }): Command => ({
      key: page,
      kind: "Page",
      title,
      aside: "",
      action: go(page),
    })),
    {
      key: "terminals/history",
      kind: "Page",
      title: "Terminals: what agents started",
      aside: "",
      action: go("terminals", "history"),
    },
    ...known.terminals.map(({ session_id, name, agent, command }): Command => ({
      key: `terminals/${session_id}`,
      kind: "Terminal",
      title: madeVisible(name ?? agent),
      aside: madeVisible(`${name === undefined ? "" : `${agent} · `}${command.slice(0, COMMAND_CHARS)}`),
      action: go("terminals", session_id),
    })),
    ...known.engines
      .filter(({ shown }) => !shown)
      .map(({ id, name, url }): Command => ({
        key: `engine/${id}`,
        kind: "Engine",
        title: `Go to engine ${madeVisible(name)}`,
        aside: madeVisible(url),
        action: { type: "engine", id },
      })),
    ...known.themes.map((theme): Command => ({
      key: `theme/${theme}`,
      kind: "Theme",
      title: `Theme: ${theme}`,
      aside: theme === known.theme ? "chosen now" : "",
      action: { type: "theme", theme },
    })),
    ...known.functionIds.map((id): Command => ({
      key: `functions/${id}`,
      kind: "Function",
      title: madeVisible(id),
      aside: "",
      action: go("functions", id),
    })),
  ];
}

/** So many are drawn at most; typing on finds the rest. */
export const SHOWN_MAX = 100;

/**
 * What is shown for what was typed, the first of it being what Enter does.
 * @param hasEngine there is one to find runs on
 */
export function commandsFor(typed: string, all: readonly Command[], hasEngine: boolean): readonly Command[] {
  const find = hasEngine ? findCommands(typed) : [];
  const ranked = rank(typed, all, (command) => command).slice(0, SHOWN_MAX - find.length);
  return looksLikeId(typed) ? [...find, ...ranked] : [...ranked, ...find];
}
