/** What a test holds back, or waits for, until `open` is called. */
export interface Gate {
  /** Resolves once it is open. */
  opened: Promise<void>;
  open(): void;
}

export function gate(): Gate {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
