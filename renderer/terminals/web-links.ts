import { WebLinksAddon } from "@xterm/addon-web-links";
import type { ILink, ILinkProvider, Terminal } from "@xterm/xterm";

/** A cell of what the terminal keeps, both counted from 0. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** A web address in the output: it starts at the place, and goes on for so many cells, over the ends of lines. */
export interface FoundLink extends Place {
  readonly text: string;
  readonly cells: number;
}

/** What each address has early in it, and the most characters of one up to the end of that. */
const MARK = "://";
const MARK_CHARS = "https://".length;

/** @returns what recognises web addresses for the mouse, so that the keyboard goes to the same ones */
export function loadWebLinks(terminal: Terminal, onLink: (url: string) => void): ILinkProvider {
  let made: ILinkProvider | undefined;
  const register = terminal.registerLinkProvider.bind(terminal);
  // The add-on hands its provider to the terminal only.
  terminal.registerLinkProvider = (provider) => {
    made = provider;
    return register(provider);
  };
  terminal.loadAddon(new WebLinksAddon((_event, url) => onLink(url)));
  terminal.registerLinkProvider = register;
  if (made === undefined) throw new Error("the web links add-on registered no provider");
  return made;
}

/** The last link that starts before the place; before the oldest one comes the newest. */
export function linkBefore(
  { buffer, cols }: Pick<Terminal, "buffer" | "cols">,
  links: ILinkProvider,
  { row: from, column: before }: Place,
): FoundLink | undefined {
  const { active } = buffer;
  /** The characters that follow the row. */
  let next = "";
  for (let steps = 0; steps <= active.length; steps += 1) {
    const row = (from - steps + active.length) % active.length;
    const text = (active.getLine(row)?.translateToString(true) ?? "") + next;
    next = text.slice(0, MARK_CHARS - 1);
    // Looking at a row takes the provider those around it, too: only where it may find something.
    if (steps > 0 && !text.includes(MARK)) continue;
    const found = startingIn(row, links, cols);
    // In the row in which it began it looks twice: at first before the place, in the end behind it.
    const link = steps === 0 ? found.findLast(({ column }) => column < before) : found.at(-1);
    if (link !== undefined) return link;
  }
  return undefined;
}

function startingIn(row: number, links: ILinkProvider, cols: number): readonly FoundLink[] {
  let found: readonly ILink[] = [];
  // The add-on's answers at once.
  links.provideLinks(row + 1, (given) => (found = given ?? []));
  return found
    .filter(({ range }) => range.start.y === row + 1)
    .map(({ text, range: { start, end } }) => ({
      text,
      row,
      column: start.x - 1,
      // xterm's range is counted from 1 and has its last cell in it.
      cells: (end.y - start.y) * cols + end.x - start.x + 1,
    }));
}
