import { hrefTo } from "../store/route.ts";
import { useApp } from "../ui/use-app.ts";
import { GROUPS } from "./pages.ts";
import styles from "./sidebar.module.css";

export function Sidebar() {
  const current = useApp((state) => state.route.page);
  const version = useApp((state) => state.info?.version);
  return (
    <nav className={styles.sidebar} aria-label="Pages">
      {GROUPS.map(({ title, pages }) => (
        <section key={title} aria-label={title}>
          <h2 className={styles.title}>{title}</h2>
          <ul>
            {pages.map(({ page, title: name, icon: Icon }) => (
              <li key={page}>
                <a
                  className={styles.link}
                  href={hrefTo(page)}
                  aria-current={page === current ? "page" : undefined}
                >
                  <Icon aria-hidden="true" size={16} />
                  <span className={styles.name}>{name}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {version !== undefined && <p className={styles.version}>Ironbridge {version}</p>}
    </nav>
  );
}
