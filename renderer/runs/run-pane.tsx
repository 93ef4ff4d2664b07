import { useEffect } from "react";
import { ActionNote } from "../actions/action-note.tsx";
import { Empty, Frame } from "../ui/frame.tsx";
import { PaneClose } from "../ui/pane-close.tsx";
import { useApp } from "../ui/use-app.ts";
import { runPlace } from "./run-actions.tsx";
import { RunDetailView } from "./run-detail.tsx";
import styles from "./run-pane.module.css";
import { isGone } from "./run-slice.ts";

/** One run, in whatever state reading it is. */
export function RunPane({ runId, onClose }: { runId: string; onClose: () => void }) {
  const open = useApp((state) => state.openRun);
  const reading = useApp((state) => state.run);
  useEffect(() => open(runId), [open, runId]);
  const close = <PaneClose what="run" list="All runs" onClose={onClose} />;
  const gone = (reading.phase === "failed" || reading.phase === "stale") && isGone(reading.problem);
  return (
    <section className={styles.pane} aria-label="Run detail">
      {gone ? (
        <>
          <div className={styles.bar}>{close}</div>
          <Empty title="There is no such run">
            <p>
              The engine knows no run <code>{runId}</code>. It was deleted, or belongs to another engine.
            </p>
            <ActionNote place={runPlace(runId)} />
          </Empty>
        </>
      ) : (
        <Frame reading={reading} what="the run">
          {(detail) => <RunDetailView detail={detail} close={close} />}
        </Frame>
      )}
    </section>
  );
}
