import { useRef } from "react";
import styles from "./terminals-page.module.css";

/** What either side keeps at least, in percent. */
const LEAST = 20;
const STEP = 5;
const clamp = (share: number) => Math.round(Math.min(100 - LEAST, Math.max(LEAST, share)));

/** Between two terminals: moves by the pointer and by the arrow keys. `share` is the left one's, in percent. */
export function SplitSeparator({ share, onShare }: { share: number; onShare: (share: number) => void }) {
  const dragging = useRef(false);
  return (
    <div
      className={styles.separator}
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the left terminal"
      aria-valuenow={share}
      aria-valuemin={LEAST}
      aria-valuemax={100 - LEAST}
      tabIndex={0}
      onKeyDown={(event) => {
        const step = event.key === "ArrowLeft" ? -STEP : event.key === "ArrowRight" ? STEP : 0;
        if (step === 0) return;
        event.preventDefault();
        onShare(clamp(share + step));
      }}
      onPointerDown={(event) => {
        dragging.current = true;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerUp={() => {
        dragging.current = false;
      }}
      onPointerMove={(event) => {
        const box = event.currentTarget.parentElement?.getBoundingClientRect();
        if (!dragging.current || box === undefined || box.width === 0) return;
        onShare(clamp(((event.clientX - box.left) / box.width) * 100));
      }}
    />
  );
}
