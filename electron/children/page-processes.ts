import { app, type ProcessMetric, type WebContents } from "electron";
import type { ProcessRecords } from "./process-records.ts";

/** Our own utility processes are recorded by whoever starts them. */
const OWN_UTILITY = "node.mojom.NodeService";

/** The processes that Chromium has started for us: pages, GPU, network, and what they are made from. */
export const chromiumPids = (metrics: readonly Pick<ProcessMetric, "pid" | "type" | "serviceName">[]) =>
  new Set(
    metrics
      .filter(({ type, serviceName }) => type !== "Browser" && serviceName !== OWN_UTILITY)
      .map(({ pid }) => pid),
  );

/**
 * Keeps the reaper's record of Chromium's processes. They end by themselves when main is gone, but for one that is stopped
 * (SIGSTOP) at that moment: it hears of nothing.
 * @returns forgets them: in an orderly end Chromium ends them itself
 */
export function recordChromium(records: ProcessRecords): () => void {
  let known: ReadonlySet<number> = new Set();
  const note = () => {
    const now = chromiumPids(app.getAppMetrics());
    for (const pid of now) if (!known.has(pid)) records.started(pid);
    for (const pid of known) if (!now.has(pid)) records.ended(pid);
    known = now;
  };
  const follow = (_: unknown, contents: WebContents) => {
    contents.on("did-finish-load", note);
    contents.on("destroyed", note);
  };
  app.on("web-contents-created", follow);
  return () => {
    app.off("web-contents-created", follow);
    for (const pid of known) records.ended(pid);
    known = new Set();
  };
}
