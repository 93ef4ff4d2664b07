import { ArrowDown, ArrowUp } from "lucide-react";
import { useApp } from "../ui/use-app.ts";
import styles from "./probe-frames.module.css";

/** What went over the wire, oldest first. Secrets were masked before it came here. */
export function ProbeFrames() {
  const frames = useApp((state) => state.probeFrames);
  return (
    <section className={styles.section} aria-label="Frames">
      <h2>Frames</h2>
      <p className={styles.about}>{frames.length} messages. Tokens and session ids are masked.</p>
      <ol className={styles.list}>
        {frames.map((frame, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a log: a frame has no other name, and order is all it has
          <li key={`${frame.at_ms} ${at}`}>
            <details>
              <summary className={styles.summary}>
                {frame.direction === "sent" ? (
                  <ArrowUp aria-label="sent" size={14} />
                ) : (
                  <ArrowDown aria-label="received" size={14} />
                )}
                <span>{frame.at_ms.toFixed(1)} ms</span>
                <span>{frame.era}</span>
                <code>{frame.head}</code>
                <code className={styles.start}>{frame.text.slice(0, 160)}</code>
              </summary>
              <pre className={styles.text} data-selectable>
                {Object.entries(frame.headers)
                  .map(([name, value]) => `${name}: ${value}\n`)
                  .join("")}
                {`\n${frame.text}`}
              </pre>
            </details>
          </li>
        ))}
      </ol>
    </section>
  );
}
