import { ChevronDown, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import styles from "./fold.module.css";

/** The button that opens and closes what stands below it. */
export function Fold(props: { open: boolean; onToggle: (open: boolean) => void; children: ReactNode }) {
  const Arrow = props.open ? ChevronDown : ChevronRight;
  return (
    <button
      type="button"
      className={styles.fold}
      aria-expanded={props.open}
      onClick={() => props.onToggle(!props.open)}
    >
      <Arrow aria-hidden="true" size={14} />
      {props.children}
    </button>
  );
}
