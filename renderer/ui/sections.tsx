import type { ReactNode } from "react";
import styles from "./sections.module.css";

/** A page that is read from top to bottom, in sections. */
export function Sections({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={styles.body} role="region" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
