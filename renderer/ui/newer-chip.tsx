import { ArrowUp } from "lucide-react";
import { Button } from "./button.tsx";
import styles from "./newer-chip.module.css";

/** How many rows came in above the ones that are being read, and the way to them. */
export function NewerChip(props: { count: number; more?: boolean; onJump: () => void }) {
  if (props.count === 0) return null;
  return (
    <div className={styles.chip}>
      <Button look="primary" icon={<ArrowUp aria-hidden="true" size={14} />} onClick={props.onJump}>
        {props.count.toLocaleString("en")}
        {props.more === true && "+"} new
      </Button>
    </div>
  );
}
