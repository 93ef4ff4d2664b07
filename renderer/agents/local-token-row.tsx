import { useApp } from "../ui/use-app.ts";
import { grantTitle } from "./permissions.ts";
import styles from "./token-row.module.css";

/** The token that every start makes anew and puts into a file: whoever reads that file comes in with it. */
export function LocalTokenRow() {
  const token = useApp((state) => state.localToken);
  if (token === null) return null;
  return (
    <section className={styles.token} aria-label="Token of this start">
      <div className={styles.top}>
        <strong className={styles.name}>{token.name}</strong>
        {token.permissions.map((permission) => (
          <span key={permission} className={styles.grant} data-permission={permission} title={permission}>
            {grantTitle(permission)}
          </span>
        ))}
      </div>
      <p className={styles.notes}>
        <span>for scripts of yours: made anew at each start, gone when the app quits</span>
        <code data-selectable>{token.file}</code>
      </p>
    </section>
  );
}
