import { useShallow } from "zustand/react/shallow";
import { hrefTo, type Page } from "../store/route.ts";
import { useApp } from "../ui/use-app.ts";
import { badgeOf, badgeText } from "./badges.ts";
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
                  title={name}
                  className={styles.link}
                  href={hrefTo(page)}
                  aria-current={page === current ? "page" : undefined}
                >
                  <Icon aria-hidden="true" size={16} />
                  <span className={styles.name}>{name}</span>
                  <PageBadge page={page} />
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

function PageBadge({ page }: { page: Page }) {
  const badge = useApp(useShallow((state) => badgeOf(state, page)));
  if (badge === null) return null;
  return (
    <span className={styles.badge} data-tone={badge.tone}>
      {badgeText(badge.count)}
      <span className="visually-hidden"> {badge.about}</span>
    </span>
  );
}
