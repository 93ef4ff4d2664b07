import type { ReactNode } from "react";
import styles from "./key-strip.module.css";

/** One line under a list or a terminal that tells its keys. `aside`: it tells nothing that a screen reader does not say. */
export function KeyStrip({ aside = false, children }: { aside?: boolean; children: ReactNode }) {
  return (
    <p className={styles.strip} aria-hidden={aside || undefined}>
      {children}
    </p>
  );
}
