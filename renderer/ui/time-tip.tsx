import { useEffect, useRef, useState } from "react";
import { useNow } from "./now.ts";
import { showAge, showTime } from "./time-format.ts";
import styles from "./time-tip.module.css";

const SHOW_AFTER_MS = 250;
type Tip = { readonly ms: number; readonly x: number; readonly y: number; readonly above: boolean };

/** One tip for every `<time>` on screen: local time, UTC and age of the one under the pointer or in the focused row. */
export function TimeTip() {
  const [tip, setTip] = useState<Tip | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    const hide = () => {
      clearTimeout(timer.current);
      setTip(null);
    };
    const onOver = (event: PointerEvent) => {
      const target = event.target instanceof Element ? event.target.closest("time[datetime]") : null;
      hide();
      if (target === null) return;
      timer.current = setTimeout(() => setTip(tipOf(target)), SHOW_AFTER_MS);
    };
    document.addEventListener("pointerover", onOver);
    document.addEventListener("pointerdown", hide);
    document.addEventListener("scroll", hide, true);
    document.addEventListener("keydown", hide);
    return () => {
      hide();
      document.removeEventListener("pointerover", onOver);
      document.removeEventListener("pointerdown", hide);
      document.removeEventListener("scroll", hide, true);
      document.removeEventListener("keydown", hide);
    };
  }, []);

  return tip === null ? null : <TipBox tip={tip} />;
}

const HALF_WIDTH_PX = 120;

function tipOf(target: Element): Tip {
  const box = target.getBoundingClientRect();
  const above = box.bottom > window.innerHeight - 110;
  const middle = box.left + box.width / 2;
  return {
    ms: Date.parse(target.getAttribute("datetime") ?? ""),
    x: Math.min(Math.max(middle, HALF_WIDTH_PX + 8), window.innerWidth - HALF_WIDTH_PX - 8),
    y: above ? box.top - 6 : box.bottom + 6,
    above,
  };
}

function TipBox({ tip }: { tip: Tip }) {
  const nowMs = useNow();
  const local = showTime(tip.ms, { zone: "local", withMs: true, nowMs });
  const utc = showTime(tip.ms, { zone: "utc", withMs: true, nowMs });
  return (
    <dl
      className={styles.tip}
      data-above={tip.above}
      style={{ left: tip.x, top: tip.y, width: HALF_WIDTH_PX * 2 }}
      aria-hidden="true"
    >
      <dt>Local</dt>
      <dd>
        {local.date} {local.clock} {local.zone}
      </dd>
      <dt>UTC</dt>
      <dd>
        {utc.date} {utc.clock}
      </dd>
      <dt>Age</dt>
      <dd>{showAge(tip.ms, nowMs)}</dd>
    </dl>
  );
}
