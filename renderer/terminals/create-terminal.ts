import { FitAddon } from "@xterm/addon-fit";
import { SearchAddon } from "@xterm/addon-search";
import { UnicodeGraphemesAddon } from "@xterm/addon-unicode-graphemes";
import { Terminal, type ILinkProvider } from "@xterm/xterm";
import { boundCounts } from "../../bridge/contract/bounded-counts.ts";
import { makeInert } from "./inert-sequences.ts";
import { shortcutOf } from "./shortcuts.ts";
import { TERMINAL_THEMES } from "./terminal-theme.ts";
import { loadWebLinks } from "./web-links.ts";

const SCROLLBACK_LINES = 20_000;

export type TerminalParts = {
  readonly terminal: Terminal;
  readonly fit: FitAddon;
  readonly search: SearchAddon;
  /** What of the output is a link. */
  readonly links: ILinkProvider;
};

/**
 * A terminal drawn with the page's own elements (webgl.ts draws it with hardware where there is some). What the output asks
 * of the window around it does nothing.
 */
export function createTerminal(
  look: "dark" | "light",
  on: {
    /** A web address in the output was clicked: the person is to be asked before it is opened. */
    link: (url: string) => void;
  },
): TerminalParts {
  const terminal = new Terminal({
    // The grapheme and search add-ons need it.
    allowProposedApi: true,
    fontFamily: '"JetBrains Mono Variable", ui-monospace, monospace',
    fontSize: 12,
    lineHeight: 1.25,
    letterSpacing: 0,
    scrollback: SCROLLBACK_LINES,
    cursorBlink: false,
    theme: TERMINAL_THEMES[look],
    // Without a handler of ours a link of the output would open a window after a browser's own question.
    linkHandler: { activate: () => {} },
    screenReaderMode: false,
    minimumContrastRatio: 4.5,
  });
  makeInert(terminal.parser);
  boundCounts(terminal);
  const fit = new FitAddon();
  const search = new SearchAddon();
  const graphemes = new UnicodeGraphemesAddon();
  for (const addon of [fit, search, graphemes]) terminal.loadAddon(addon);
  const links = loadWebLinks(terminal, on.link);
  // Ours go on to the view around it, which does them wherever in it the focus is.
  terminal.attachCustomKeyEventHandler((event) => shortcutOf(event) === null);
  return { terminal, fit, search, links };
}

/** What is selected, else everything that is kept, without the padding of the screen. */
export function textOf(terminal: Terminal): string {
  if (terminal.hasSelection()) return terminal.getSelection();
  const { active } = terminal.buffer;
  const lines: string[] = [];
  for (let row = 0; row < active.length; row += 1) {
    const line = active.getLine(row);
    if (line === undefined) continue;
    // Spaces that were printed stay. What was not is no text: a wide character that did not fit leaves a cell empty, too.
    const text = line.translateToString(true);
    if (line.isWrapped && lines.length > 0) lines[lines.length - 1] += text;
    else lines.push(text);
  }
  return lines.join("\n").trimEnd();
}
