/** One thing to end when the app ends. It must settle by itself: everything behind it waits for it. */
export interface QuitStep {
  readonly name: string;
  end(): Promise<void> | void;
}

export interface QuitSteps {
  /** Registers what was just opened. What was opened last ends first. */
  add(name: string, end: QuitStep["end"]): void;
  /** Ends everything, once; later calls wait for the same end. Returns what went wrong, step by step. */
  run(): Promise<readonly QuitFailure[]>;
  readonly running: boolean;
}

export interface QuitFailure {
  readonly step: string;
  readonly cause: unknown;
}

/** The list of what is open. One step that throws never keeps the others from ending. */
export function quitSteps(): QuitSteps {
  const steps: QuitStep[] = [];
  const failures: QuitFailure[] = [];
  let ended: Promise<readonly QuitFailure[]> | undefined;

  async function endAll(): Promise<readonly QuitFailure[]> {
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      try {
        await step.end();
      } catch (cause) {
        failures.push({ step: step.name, cause });
      }
    }
    return failures;
  }

  return {
    add: (name, end) => void steps.push({ name, end }),
    run: () => (ended ??= endAll()),
    get running() {
      return ended !== undefined;
    },
  };
}
