/** The part of a terminal that is used, of xterm for pages and of the one without a screen. */
interface Sized {
  readonly cols: number;
  readonly rows: number;
}

/** Of xterm 6.0.0, which has no public way to them: what a sequence was given, to be changed before it is done. */
interface Core {
  registerCsiHandler(id: { final: string }, take: (params: { params: Int32Array }) => boolean): unknown;
}

/**
 * What is done as often as a sequence says, time after time: move to the next tab or the one before, insert and delete
 * lines, scroll up and down, repeat a character. More often than this changes nothing that is seen.
 */
const MOST: Readonly<Record<string, (size: Sized) => number>> = {
  I: ({ cols }) => cols,
  Z: ({ cols }) => cols,
  L: ({ rows }) => rows,
  M: ({ rows }) => rows,
  S: ({ rows }) => rows,
  T: ({ rows }) => rows,
  b: ({ cols, rows }) => cols * rows,
};

/**
 * Fourteen bytes of output can say two thousand million times, and xterm does that or dies of it: whatever shares its
 * thread stands still for an hour. Where that part of xterm is missing nothing is changed.
 */
export function boundCounts(terminal: Sized): void {
  const core: unknown = Reflect.get(terminal, "_core");
  if (!isCore(core)) return;
  for (const [final, most] of Object.entries(MOST))
    core.registerCsiHandler({ final }, ({ params }) => {
      params[0] = Math.min(params[0] ?? 0, most(terminal));
      return false; // now it is done
    });
}

function isCore(core: unknown): core is Core {
  return (
    typeof core === "object" && core !== null && typeof Reflect.get(core, "registerCsiHandler") === "function"
  );
}
