import { CopyButton } from "./copy-button.tsx";
import styles from "./identifier.module.css";

/** An id in full, with the way to copy it. */
export function Identifier({ id, what }: { id: string; what: string }) {
  return (
    <span className={styles.identifier}>
      <code>{id}</code>
      <CopyButton label={`Copy ${what}`} text={() => id} />
    </span>
  );
}
