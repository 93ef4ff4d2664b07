import type { TerminalRecord } from "../../electron/contract/terminals.ts";
import { Look } from "../ui/status.tsx";
import styles from "./how-it-ended.module.css";
import { sessionLook } from "./session-look.ts";

/** Its status, and the code or signal with which it ended: what came of it stays in sight where there is little room. */
export function HowItEnded({ record }: { record: TerminalRecord }) {
  const look = sessionLook(record);
  const by = record.exit_code === null ? (record.signal ?? "") : `code ${record.exit_code}`;
  return (
    <span className={styles.end} title={`${look.word} ${by}`.trimEnd()}>
      <Look look={look} />
      <span className={styles.by}>{by}</span>
    </span>
  );
}
