import type { ReactNode } from "react";
import styles from "./facts.module.css";

export type Fact = { readonly name: string; readonly value: ReactNode };

/** Names and values, as many in a line as fit. */
export function Facts({ facts }: { facts: readonly (Fact | null)[] }) {
  return (
    <dl className={styles.facts}>
      {facts.map(
        (fact) =>
          fact !== null && (
            <div key={fact.name} className={styles.fact}>
              <dt>{fact.name}</dt>
              <dd>{fact.value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
