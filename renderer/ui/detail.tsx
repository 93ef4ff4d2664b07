import type { ReactNode } from "react";
import styles from "./detail.module.css";

type DetailProps = {
  /** What the region is called. */
  label: string;
  title: string;
  close: ReactNode;
  /** Below the title. */
  id?: ReactNode;
  children: ReactNode;
};

/** One record beside its list, or in its place. */
export function Detail({ label, title, close, id, children }: DetailProps) {
  return (
    <section className={styles.pane} aria-label={label}>
      <header className={styles.header}>
        <div className={styles.top}>
          <h2 className={styles.name}>{title}</h2>
          {close}
        </div>
        {id}
      </header>
      {children}
    </section>
  );
}

/** What a detail holds; it scrolls. */
export function DetailBody({ children }: { children: ReactNode }) {
  return (
    <div className={styles.body} tabIndex={-1}>
      {children}
    </div>
  );
}

export function DetailSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <h3 className={styles.heading}>{title}</h3>
      {children}
    </section>
  );
}

/** That there is nothing, or no more, in a section. */
export function DetailNote({ children }: { children: ReactNode }) {
  return <p className={styles.note}>{children}</p>;
}
