import { Check, Minus } from "lucide-react";
import { useMemo } from "react";
import type { ProbeView } from "../../electron/contract/probe.ts";
import { compareTools } from "./compare-tools.ts";
import styles from "./probe-tools.module.css";

/** The tools of both eras side by side; what is not the same is marked with an icon and in words. */
export function ProbeTools({ views }: { views: readonly ProbeView[] }) {
  const tools = useMemo(() => compareTools(views), [views]);
  const different = tools.filter(({ differs }) => differs.length > 0).length;
  return (
    <section className={styles.section} aria-label="Tools">
      <h2>Tools</h2>
      <p className={styles.about}>
        {different === 0
          ? "Both eras list the same tools."
          : `${different} of ${tools.length} are not the same.`}
      </p>
      <div className={styles.scroll} role="region" aria-label="Table of tools" tabIndex={0}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Tool</th>
              {views.map(({ era }) => (
                <th key={era} scope="col">
                  {era}
                </th>
              ))}
              <th scope="col">Difference</th>
            </tr>
          </thead>
          <tbody>
            {tools.map(({ name, title, seen, differs }) => (
              <tr key={name} data-differs={differs.length > 0}>
                <th scope="row">
                  <code>{name}</code> <span className={styles.about}>{title}</span>
                </th>
                {views.map(({ era }, at) => (
                  <td key={era}>
                    {seen[at] === null ? (
                      <Minus aria-label="not listed" size={14} />
                    ) : (
                      <Check aria-label="listed" size={14} />
                    )}
                  </td>
                ))}
                <td>{differs.join(", ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
