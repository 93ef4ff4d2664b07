import type { ReactNode } from "react";
import styles from "./page.module.css";

/** A page: its name, what it can be narrowed by, and its body, which scrolls by itself. */
export function Page(props: { title: string; note?: ReactNode; tools?: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.page}>
      <header className={styles.header}>
        <h1 className={styles.title}>{props.title}</h1>
        {props.note !== undefined && <p className={styles.note}>{props.note}</p>}
        {props.tools !== undefined && <div className={styles.tools}>{props.tools}</div>}
      </header>
      <div className={styles.body}>{props.children}</div>
    </div>
  );
}
