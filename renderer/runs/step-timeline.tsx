import { useEffect, useMemo, useRef, useState, type RefObject } from "react";
import type { Run, Step } from "../../mcp/contract/domain.ts";
import { useNow } from "../ui/now.ts";
import { useRows } from "../ui/use-rows.ts";
import { StepRow } from "./step-row.tsx";
import styles from "./step-timeline.module.css";
import { axisOf, barOf, isOver, tickLabel, ticksOf, type Axis } from "./timeline.ts";

const ROW_PX = 32;
const MOST_TICKS = 5;

/** What a run did, step by step, on one axis of time. A step opens to what went in, what came out, and what failed. */
export function StepTimeline(props: {
  run: Run;
  steps: readonly Step[];
  /** The box that scrolls around the whole detail. */
  scroller: RefObject<HTMLDivElement | null>;
}) {
  // Nothing moves on the axis of a run that is over, so the time it is drawn at does not matter.
  return isOver(props.run) ? <Timeline {...props} nowMs={endOf(props.run)} /> : <MovingTimeline {...props} />;
}

function MovingTimeline(props: Parameters<typeof StepTimeline>[0]) {
  return <Timeline {...props} nowMs={useNow()} />;
}

function Timeline({ run, steps, scroller, nowMs }: Parameters<typeof StepTimeline>[0] & { nowMs: number }) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const top = useRef<HTMLDivElement>(null);
  const [offset, setOffset] = useState(0);
  const axis = useMemo(() => axisOf(run, steps, nowMs), [run, steps, nowMs]);

  // What stands above the steps moves them: an error, facts that wrap.
  useEffect(() => {
    const place = () => setOffset(top.current?.offsetTop ?? 0);
    place();
    const observer = new ResizeObserver(place);
    const content = scroller.current?.firstElementChild;
    if (content) observer.observe(content);
    return () => observer.disconnect();
  }, [scroller]);

  const virtual = useRows({
    count: steps.length,
    scroller,
    rowPx: ROW_PX,
    overscan: 6,
    marginPx: offset,
    keyOf: (index) => steps[index]?.id ?? index,
  });

  function toggle(id: string) {
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  }

  return (
    <section aria-label="Steps">
      <div className={styles.head}>
        <h3>
          Steps <span className={styles.count}>{steps.length}</span>
        </h3>
        {steps.length > 0 && <Ruler axis={axis} />}
      </div>
      {steps.length === 0 && (
        <p className={styles.none}>{isOver(run) ? "The run had no steps." : "No step has begun yet."}</p>
      )}
      <div ref={top} role="list" className={styles.rows} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const step = steps[index];
          if (step === undefined) return null;
          return (
            <div
              key={step.id}
              ref={virtual.measureElement}
              data-index={index}
              role="listitem"
              className={styles.row}
              style={{ transform: `translateY(${start - offset}px)` }}
            >
              <StepRow
                step={step}
                bar={barOf(step, run, axis, nowMs)}
                open={open.has(step.id)}
                onToggle={() => toggle(step.id)}
              />
            </div>
          );
        })}
      </div>
    </section>
  );
}

const endOf = (run: Run): number => Date.parse(run.ended_at ?? run.updated_at);

function Ruler({ axis }: { axis: Axis }) {
  return (
    <div className={styles.ruler} aria-hidden="true">
      {ticksOf(axis, MOST_TICKS).map(({ at, offsetMs }) => (
        <span key={offsetMs} className={styles.tick} style={{ left: `${at * 100}%` }}>
          {tickLabel(offsetMs)}
        </span>
      ))}
    </div>
  );
}
