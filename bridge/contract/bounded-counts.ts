/** The part of a terminal that is used, of xterm for pages and of the one without a screen. */
interface Counted {
  readonly cols: number;
  readonly rows: number;
  readonly buffer: { readonly active: Drawn };
}

interface Drawn {
  readonly baseY: number;
  readonly cursorX: number;
  readonly cursorY: number;
  getLine(row: number): { getCell(column: number): { getChars(): string } | undefined } | undefined;
}

/** Of xterm 6.0.0, which has no public way to them: what a sequence was given, to be changed before it is done. */
interface Core {
  registerCsiHandler(id: { final: string }, take: (params: { params: Int32Array }) => boolean): unknown;
}

/** A character is put together of so many at most; one with more is not repeated, as each copy takes as much. */
const REPEATED_MAX_CHARS = 32;

/**
 * What is done as often as a sequence says, time after time: move to the next tab or the one before, insert and delete
 * lines, scroll up and down; more often than this changes nothing that is seen. A character is repeated for one line at
 * most: programs do so within one, and for the whole screen seven bytes would cost milliseconds.
 */
const MOST: Readonly<Record<string, (terminal: Counted) => number>> = {
  I: ({ cols }) => cols,
  Z: ({ cols }) => cols,
  L: ({ rows }) => rows,
  M: ({ rows }) => rows,
  S: ({ rows }) => rows,
  T: ({ rows }) => rows,
  b: ({ cols }) => cols,
};

/**
 * Fourteen bytes of output can say two thousand million times, and xterm does that or dies of it: whatever shares its
 * thread stands still for an hour. Where that part of xterm is missing nothing is changed.
 */
export function boundCounts(terminal: Counted): void {
  const core: unknown = Reflect.get(terminal, "_core");
  if (!isCore(core)) return;
  for (const [final, most] of Object.entries(MOST))
    core.registerCsiHandler({ final }, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, most(terminal));
      return final === "b" && isLong(terminal.buffer.active); // false: now it is done
    });
}

/** Of the character before the cursor, which may be two columns wide. */
function isLong(drawn: Drawn): boolean {
  const line = drawn.getLine(drawn.baseY + drawn.cursorY);
  const chars = (back: number) => line?.getCell(drawn.cursorX - back)?.getChars().length ?? 0;
  return Math.max(chars(1), chars(2)) > REPEATED_MAX_CHARS;
}

function isCore(core: unknown): core is Core {
  return (
    typeof core === "object" && core !== null && typeof Reflect.get(core, "registerCsiHandler") === "function"
  );
}
