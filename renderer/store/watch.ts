/** What every watcher needs from the outside, so that tests can stand in for time and main. */
export type Clock = {
  /** ms since the epoch */
  now(): number;
  /** Runs `task` once after `ms`; the result calls it off. */
  later(ms: number, task: () => void): () => void;
};

export const systemClock: Clock = {
  now: () => Date.now(),
  later(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

export type Watch = {
  /** Reads again as soon as possible. */
  refresh: () => void;
  /** No read starts and no result is applied afterwards. */
  stop: () => void;
};

/** How soon a read that failed is tried again, when nothing else asks for it. */
export const RETRY_MS = 5_000;

/**
 * Keeps something fresh: reads at once, again after `refresh`, after `RETRY_MS` when a read failed, and after `everyMs()`
 * where no change is announced. One read at a time: changes during a read lead to exactly one more, at least `minGapMs`
 * after the start of the last.
 */
export function watch(options: {
  /** Tells whether it went well. It must not throw. */
  read: (stillWanted: () => boolean) => Promise<boolean>;
  clock: Clock;
  minGapMs: number;
  /** Read anyway after this long, for engines that announce nothing; undefined = never. */
  everyMs: () => number | undefined;
}): Watch {
  const { clock } = options;
  let stopped = false;
  let reading = false;
  let wanted = false;
  let startedAt = -Infinity;
  let callOff = () => {};

  const stillWanted = () => !stopped;

  function plan(ms: number) {
    callOff();
    callOff = clock.later(ms, () => void start());
  }

  async function start() {
    if (stopped || reading) return;
    callOff();
    reading = true;
    wanted = false;
    startedAt = clock.now();
    const wentWell = await options.read(stillWanted);
    reading = false;
    if (stopped) return;
    const everyMs = wentWell ? options.everyMs() : RETRY_MS;
    if (wanted) plan(Math.max(0, startedAt + options.minGapMs - clock.now()));
    else if (everyMs !== undefined) plan(everyMs);
  }

  void start();
  return {
    refresh() {
      wanted = true;
      if (!stopped && !reading) plan(Math.max(0, startedAt + options.minGapMs - clock.now()));
    },
    stop() {
      stopped = true;
      callOff();
    },
  };
}
