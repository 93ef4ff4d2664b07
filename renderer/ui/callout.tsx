import { CircleAlert, Info } from "lucide-react";
import type { ReactNode } from "react";
import styles from "./callout.module.css";

/** A boxed remark beside what it is about: an error, or something to know. */
export function Callout({
  tone,
  title,
  children,
}: {
  tone: "bad" | "warn" | "info";
  title: string;
  children?: ReactNode;
}) {
  const Icon = tone === "info" ? Info : CircleAlert;
  return (
    <div className={styles.callout} data-tone={tone} data-selectable>
      <Icon aria-hidden="true" size={16} />
      <div className={styles.text}>
        <strong>{title}</strong>
        {children}
      </div>
    </div>
  );
}
