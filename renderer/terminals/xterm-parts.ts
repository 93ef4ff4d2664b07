import type { IDisposable, Terminal } from "@xterm/xterm";

/**
 * Parts of xterm 6.0.0 that have no public way to them and are taken by name. Where one is missing, or is something else,
 * nothing is touched. floods.e2e.ts tells when that comes.
 */
export interface XtermParts {
  readonly viewport: {
    /** Fits the scroll bar to the buffer; with no argument, to where the buffer is now. */
    _sync: (line?: number) => void;
    /** Where it was scrolled to last by something else than output. `_sync` takes it that the bar is there still. */
    _latestYDisp: number | undefined;
    readonly _scrollableElement: { getScrollPosition: () => { readonly scrollTop: number } };
    scrollLines: (lines: number) => void;
    scrollToLine: (line: number, atOnce?: boolean) => void;
  };
  readonly renderer: {
    handleSelectionChanged: (from: unknown, to: unknown, columns: boolean) => void;
    readonly dimensions: { readonly css: { readonly cell: { readonly height: number } } };
  };
  readonly frames: { _innerRefresh: () => void; _animationFrame: number | undefined };
}

/** Undefined when the terminal is not open yet, or is of another version. */
export function partsOf(terminal: Terminal): XtermParts | undefined {
  const core = part(terminal, "_core");
  const viewport = part(core, "_viewport");
  const renderer = part(core, "_renderService");
  const frames = part(renderer, "_renderDebouncer");
  const whole =
    has(viewport, "_sync", "scrollLines", "scrollToLine") &&
    has(part(viewport, "_scrollableElement"), "getScrollPosition") &&
    has(renderer, "handleSelectionChanged") &&
    typeof part(part(part(part(renderer, "dimensions"), "css"), "cell"), "height") === "number" &&
    has(frames, "_innerRefresh");
  return whole ? ({ viewport, renderer, frames } as unknown as XtermParts) : undefined;
}

/**
 * Tells input of a person from the terminal's own answers, which xterm hands over alike. Where xterm is another than is known
 * here nothing is taken for a person's.
 */
export function watchTyping(terminal: Terminal): { taken: () => boolean; close: () => void } {
  const service = part(part(terminal, "_core"), "coreService");
  let typed = false;
  // Called just before the input itself comes.
  const watch = has(service, "onUserInput")
    ? (service as { onUserInput: (listener: () => void) => IDisposable }).onUserInput(() => (typed = true))
    : undefined;
  return {
    taken() {
      const was = typed;
      typed = false;
      return was;
    },
    close: () => watch?.dispose(),
  };
}

function part(of: unknown, name: string): unknown {
  return typeof of === "object" && of !== null ? Reflect.get(of, name) : undefined;
}

function has(one: unknown, ...methods: readonly string[]): boolean {
  return methods.every((method) => typeof part(one, method) === "function");
}
