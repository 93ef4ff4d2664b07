import { madeVisible } from "../../electron/contract/visible.ts";
import styles from "./command-text.module.css";

/** Every line of a command, as it was given, with what cannot be seen made visible. */
export function CommandText({ command }: { command: string }) {
  return (
    <pre className={styles.text} tabIndex={0} role="group" aria-label="The command" data-selectable>
      {command.split("\n").map(madeVisible).join("\n")}
    </pre>
  );
}
