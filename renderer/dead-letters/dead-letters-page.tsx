import { useEffect, useState } from "react";
import { hrefTo } from "../store/route.ts";
import { dataOf } from "../store/reading.ts";
import { Button } from "../ui/button.tsx";
import { Empty, Frame } from "../ui/frame.tsx";
import { Page } from "../ui/page.tsx";
import { SearchBox } from "../ui/search-box.tsx";
import { useApp } from "../ui/use-app.ts";
import { DeadLetterCard } from "./dead-letter-card.tsx";
import styles from "./dead-letters-page.module.css";
import type { DeadLetters } from "./dead-letters-slice.ts";
import { groupByEvent } from "./group.ts";
import { OutboxList } from "./outbox-list.tsx";

/** What the engine could not process, and what it could not deliver: two lists, of which the address names one. */
export function DeadLettersPage() {
  const outbox = useApp((state) => state.route.query["list"] === "outbox");
  return outbox ? <OutboxPage /> : <UnprocessedPage />;
}

/** The way from one list to the other. */
function Lists({ shown }: { shown: "unprocessed" | "outbox" }) {
  return (
    <nav className={styles.lists} aria-label="Dead letters of">
      <a href={hrefTo("dead-letters")} aria-current={shown === "unprocessed" ? "page" : undefined}>
        Not processed
      </a>
      <a
        href={hrefTo("dead-letters", null, { list: "outbox" })}
        aria-current={shown === "outbox" ? "page" : undefined}
      >
        Not delivered
      </a>
    </nav>
  );
}

function OutboxPage() {
  const total = useApp((state) => {
    const data = dataOf(state.outbox);
    return data?.total ?? (data?.more === false ? data.rows.length : undefined);
  });
  return (
    <Page
      title="Dead letters"
      note={total === undefined ? undefined : total.toLocaleString("en")}
      tools={<Lists shown="outbox" />}
    >
      <OutboxList />
    </Page>
  );
}

function UnprocessedPage() {
  const [source, setSource] = useState("");
  const [pages, setPages] = useState(1);
  const open = useApp((state) => state.openDeadLetters);
  const reading = useApp((state) => state.deadLetters);
  useEffect(() => open(source.trim(), pages), [open, source, pages]);
  const total = dataOf(reading)?.total;
  return (
    <Page
      title="Dead letters"
      note={total === undefined ? undefined : total.toLocaleString("en")}
      tools={
        <>
          <Lists shown="unprocessed" />
          <SearchBox
            label="Source, exactly"
            placeholder="Source, such as routing"
            value={source}
            onChange={(next) => {
              setPages(1);
              setSource(next);
            }}
          />
        </>
      }
    >
      <Frame reading={reading} what="the dead letters">
        {(data) =>
          data.rows.length === 0 ? (
            <Empty title={source === "" ? "No dead letters are stored" : "None from this source"}>
              <p>
                An event that the engine cannot route lands here. An empty list does not prove that nothing
                was lost.
              </p>
            </Empty>
          ) : (
            <Groups data={data} onMore={() => setPages(pages + 1)} />
          )
        }
      </Frame>
    </Page>
  );
}

function Groups({ data, onMore }: { data: DeadLetters; onMore: () => void }) {
  const groups = groupByEvent(data.rows);
  return (
    <div className={styles.list} role="region" aria-label="Dead letters by event" tabIndex={0}>
      {groups.map((group) => (
        <section key={group.key} className={styles.group} aria-label={group.eventName ?? "Without an event"}>
          <header className={styles.head}>
            <h2>{group.eventName ?? (group.eventId === null ? "Without an event" : "Event")}</h2>
            {group.eventId !== null && <a href={hrefTo("events", group.eventId)}>{group.eventId}</a>}
            {group.rows.length > 1 && (
              <span className={styles.shared}>{group.rows.length} rows share this event</span>
            )}
          </header>
          {group.rows.map((row) => (
            <DeadLetterCard key={row.id} letter={row} />
          ))}
        </section>
      ))}
      {data.rows.length < data.total && (
        <p className={styles.more}>
          The newest {data.rows.length.toLocaleString("en")} of {data.total.toLocaleString("en")}.{" "}
          <Button onClick={onMore}>Load older ones</Button>
        </p>
      )}
    </div>
  );
}
