import { Lock, LockOpen } from "lucide-react";
import { currentOf } from "../store/apply-connections.ts";
import { hrefTo } from "../store/route.ts";
import { dataOf } from "../store/reading.ts";
import { Choice } from "../ui/choice.tsx";
import { useApp } from "../ui/use-app.ts";
import styles from "./connection-badge.module.css";
import { connectionWords, shortUrl, writeWords } from "./connection-words.ts";

/** Which engine this is, whether it answers, and whether it may be changed: never off the screen. */
export function ConnectionBadge() {
  const connection = useApp(currentOf);
  const all = useApp((state) => dataOf(state.connections));
  const engines = useApp((state) => dataOf(state.engines)) ?? [];
  const go = useApp((state) => state.switchEngine);
  const stopped = useApp((state) => state.panic.stopped);
  if (connection === undefined) {
    return (
      <p className={styles.badge} role="status">
        {all === undefined ? "Asking for engines…" : "No engine"}
      </p>
    );
  }
  const { word, tone } = connectionWords(connection);
  const writes = writeWords(connection, stopped);
  const readOnly = !connection.person_may_write || stopped;
  return (
    <section className={styles.badge} aria-label="Engine that is shown">
      {engines.length > 1 ? (
        <Choice
          label="Engine"
          value={connection.id}
          options={engines.map(({ id, name }) => ({ value: id, label: name }))}
          onChange={(id) => void go(id)}
        />
      ) : (
        <strong className={styles.name} title={connection.name}>
          {connection.name}
        </strong>
      )}
      <span className={styles.url} title={connection.url} data-selectable>
        {shortUrl(connection.url)}
      </span>
      <span className={styles.state} data-tone={tone} role="status">
        <i className={styles.dot} />
        <span className={styles.word} title={word}>
          {word}
        </span>
      </span>
      <a className={styles.writes} data-read-only={readOnly} title={writes.full} href={hrefTo("settings")}>
        {readOnly ? <Lock aria-hidden="true" size={12} /> : <LockOpen aria-hidden="true" size={12} />}
        <span className={styles.word}>{writes.short}</span>
        <span className="visually-hidden">. {writes.full}</span>
      </a>
    </section>
  );
}
