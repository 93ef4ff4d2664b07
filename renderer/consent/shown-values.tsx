import { useLayoutEffect, useRef, useState } from "react";
import type { ShownValue } from "../../electron/contract/consent.ts";
import { useNow } from "../ui/now.ts";
import { showTime, type Zone } from "../ui/time-format.ts";
import styles from "./shown-values.module.css";

/** Names and exact values. A long value scrolls by itself and says how long it is, so nothing hides below an edge. */
export function ShownValues(props: {
  title: string;
  values: readonly ShownValue[];
  zone: Zone;
  none?: string;
}) {
  if (props.values.length === 0 && props.none === undefined) return null;
  return (
    <section aria-label={props.title}>
      <h2 className={styles.heading}>{props.title}</h2>
      {props.values.length === 0 && <p className={styles.none}>{props.none}</p>}
      {props.values.map((value) =>
        value.is === "time" ? (
          <Instant key={value.label} value={value} zone={props.zone} />
        ) : (
          <Value key={`${value.label} ${value.text}`} value={value} />
        ),
      )}
    </section>
  );
}

function Value({ value: { label, text, altered } }: { value: ShownValue }) {
  const box = useRef<HTMLPreElement>(null);
  const [hidden, setHidden] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = () => setHidden(element.scrollHeight > element.clientHeight + 1);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div className={styles.value}>
      <span className={styles.label}>{label}</span>
      <pre
        ref={box}
        className={styles.text}
        tabIndex={hidden ? 0 : undefined}
        aria-label={hidden ? label : undefined}
      >
        {text}
      </pre>
      {hidden && (
        <p className={styles.note}>
          {text.length.toLocaleString("en")} characters: scroll in the box to read all of it
        </p>
      )}
      {altered && (
        <p className={styles.note}>
          Characters that cannot be seen, or that pass for others, are written as ⟨U+…⟩.
        </p>
      )}
    </div>
  );
}

/** As everywhere in the app: in the person's zone, which is named; the engine's own words on hover. */
function Instant({ value: { label, text }, zone }: { value: ShownValue; zone: Zone }) {
  const shown = showTime(Date.parse(text), { zone, withMs: false, nowMs: useNow() });
  return (
    <div className={styles.value}>
      <span className={styles.label}>{label}</span>
      <time className={styles.time} dateTime={text} title={text}>
        {shown.date} {shown.clock} {shown.zone}
      </time>
    </div>
  );
}
