import { ArrowLeft, X } from "lucide-react";
import { useEffect } from "react";
import { Button } from "../ui/button.tsx";
import { Empty, Frame } from "../ui/frame.tsx";
import { useApp } from "../ui/use-app.ts";
import { useWide } from "../ui/use-wide.ts";
import { RunDetailView } from "./run-detail.tsx";
import styles from "./run-pane.module.css";
import { isGone } from "./run-slice.ts";

/** One run, in whatever state reading it is. */
export function RunPane({ runId, onClose }: { runId: string; onClose: () => void }) {
  const open = useApp((state) => state.openRun);
  const reading = useApp((state) => state.run);
  const wide = useWide();
  useEffect(() => open(runId), [open, runId]);
  const close = wide ? (
    <Button
      look="quiet"
      aria-label="Close the run"
      title="Close"
      icon={<X aria-hidden="true" size={16} />}
      onClick={onClose}
    />
  ) : (
    <Button look="quiet" icon={<ArrowLeft aria-hidden="true" size={16} />} onClick={onClose}>
      All runs
    </Button>
  );
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
