import { app } from "electron";
import { logError, logInfo } from "./log.ts";
import { asStartProblem } from "./start-problem.ts";
import { quitSteps, type QuitSteps } from "./orderly-quit.ts";

export interface Lifecycle {
  /** What has to be ended at the end. */
  readonly steps: QuitSteps;
  /** Aborts when the end has begun: whoever is still starting something stops. */
  readonly ending: AbortSignal;
}

/** Ending takes as long as the slowest child's ladder; after this, in ms, nobody waits any longer. */
const END_WITHIN_MS = 20_000;

/**
 * Starts the app and ends it in order, whoever asks for the end: the window's close, a signal, `app.quit()`, or a start
 * that failed. Exit code 0, or 1 when the start failed or something could not be ended.
 */
export function runLifecycle(start: (lifecycle: Lifecycle) => Promise<void>): void {
  const steps = quitSteps();
  const ending = new AbortController();
  let failed = false;

  const started = start({ steps, ending: ending.signal }).catch((cause: unknown) => {
    if (ending.signal.aborted) return; // it was told to stop
    failed = true;
    logError("main", "could not start", asStartProblem(cause));
    app.quit();
  });

  async function end(): Promise<void> {
    ending.abort();
    await started;
    for (const { step, cause } of await steps.run()) {
      failed = true;
      logError("main", `${step} did not end well`, cause);
    }
  }

  app.on("before-quit", (event) => {
    event.preventDefault();
    if (ending.signal.aborted) return;
    // What the children say of their end would read like a fault without it.
    if (!failed) logInfo("main", "the app closes");
    const giveUp = setTimeout(() => {
      logError("main", "the end took too long; the reaper ends what is left");
      app.exit(1);
    }, END_WITHIN_MS);
    end()
      .catch((cause: unknown) => {
        failed = true;
        logError("main", "the end failed", cause);
      })
      .finally(() => {
        clearTimeout(giveUp);
        app.exit(failed ? 1 : 0);
      });
  });
  app.on("window-all-closed", () => app.quit());
  quitOnSignals();
  // Electron has put its own handlers in the place of these by now, and they are good for one signal only: the second
  // Ctrl-C would end the process in the middle of its orderly end.
  void app.whenReady().then(quitOnSignals);
}

/** Ctrl-C, an end that was asked for, and a terminal that was closed. */
const END_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const quit = () => app.quit();

function quitOnSignals(): void {
  for (const signal of END_SIGNALS) process.off(signal, quit).on(signal, quit);
}
