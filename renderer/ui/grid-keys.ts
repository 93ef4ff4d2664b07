type Key = {
  readonly key: string;
  readonly altKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
};

/** Where a key leads in a list of `count` rows, or undefined when the key is not the list's. */
export function keyTarget(event: Key, from: number, count: number, pageRows: number): number | undefined {
  if (event.altKey || event.ctrlKey || event.metaKey || count === 0) return undefined;
  const last = count - 1;
  switch (event.key) {
    case "ArrowDown":
      return Math.min(last, from + 1);
    case "ArrowUp":
      return Math.max(0, from - 1);
    case "PageDown":
      return Math.min(last, from + pageRows);
    case "PageUp":
      return Math.max(0, from - pageRows);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}
