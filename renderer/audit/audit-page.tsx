import { useEffect, useMemo } from "react";
import type { AuditPage as AuditRows, AuditRow } from "../../electron/contract/audit.ts";
import { AUDIT_ROWS_MAX } from "../../electron/contract/audit.ts";
import { goTo } from "../store/navigation.ts";
import { dataOf } from "../store/reading.ts";
import { formatRoute } from "../store/route.ts";
import { Callout } from "../ui/callout.tsx";
import { Choice } from "../ui/choice.tsx";
import { Empty, Failed, Loading } from "../ui/frame.tsx";
import { Page } from "../ui/page.tsx";
import { SearchBox } from "../ui/search-box.tsx";
import { Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { VirtualGrid, type Column } from "../ui/virtual-grid.tsx";
import { WindowChoice } from "../ui/window-choice.tsx";
import {
  auditFiltersQuery,
  EVENT_KINDS,
  EVENT_WORDS,
  readAuditFilters,
  type AuditFilters,
} from "./audit-filters.ts";
import { eventWords } from "./event-words.ts";
import styles from "./audit-page.module.css";

const COLUMNS: Column[] = [
  { key: "time", title: "Time", width: "190px" },
  { key: "event", title: "Event", width: "minmax(160px, 0.9fr)" },
  { key: "user", title: "Who", width: "minmax(100px, 0.5fr)" },
  { key: "tool", title: "Tool", width: "minmax(140px, 0.8fr)" },
  { key: "detail", title: "Detail", width: "minmax(180px, 1.2fr)" },
];
const KINDS = EVENT_KINDS.map((value) => ({ value, label: EVENT_WORDS[value] }));

/** What agents and the person did here, newest first. What they passed along is never in it. */
export function AuditPage() {
  const query = useApp((state) => state.route.query);
  const follow = useApp((state) => state.followAudit);
  const audit = useApp((state) => state.audit);
  const key = JSON.stringify(query);
  const filters = useMemo(() => readAuditFilters(JSON.parse(key) as typeof query), [key]);
  useEffect(() => follow(filters), [follow, filters]);
  const change = (next: Partial<AuditFilters>) =>
    goTo(formatRoute("audit", null, auditFiltersQuery({ ...filters, ...next })), "replace");
  const rows = dataOf(audit);
  return (
    <Page
      title="Audit"
      note={rows === undefined ? undefined : countWords(rows)}
      tools={
        <>
          <SearchBox
            label="Who: a token's name, or user for yourself"
            placeholder="Token name, or user"
            value={filters.user}
            onChange={(user) => change({ user })}
          />
          <Choice
            label="Events"
            value={filters.event}
            options={KINDS}
            onChange={(event) => change({ event })}
          />
          <WindowChoice value={filters.window} onChange={(window) => change({ window })} />
        </>
      }
    >
      {audit.phase === "loading" && <Loading what="the audit" />}
      {audit.phase === "failed" && <Failed what="the audit" problem={audit.problem} />}
      {rows !== undefined && <Rows page={rows} />}
    </Page>
  );
}

function Rows({ page }: { page: AuditRows }) {
  if (page.rows.length === 0) {
    return (
      <Empty title="No row passes the filters">
        <p>Every call of an agent, every change of yours and every question leaves a row here.</p>
      </Empty>
    );
  }
  return (
    <div className={styles.list}>
      {page.lost > 0 && (
        <Callout tone="bad" title={`${page.lost} rows could not be written since the app started.`} />
      )}
      <VirtualGrid
        label="Audit"
        what="audit"
        columns={COLUMNS}
        count={page.rows.length}
        row={(index) => {
          const row = page.rows[index];
          return row === undefined ? null : { key: `${row.time} ${index}`, cells: cellsOf(row) };
        }}
      />
    </div>
  );
}

function cellsOf({ time, event, user, detail }: AuditRow) {
  const { tool, call_id: _, ...rest } = detail;
  return [
    <Time key="time" at={time} precise />,
    <span key="event" className={styles.event} data-event={event} title={event}>
      {eventWords(event)} <code className={styles.raw}>{event}</code>
    </span>,
    <span key="user" className={styles.user}>
      {user === "user" ? "You" : user.replace(/^token:/, "")}
    </span>,
    <code key="tool" className={styles.tool}>
      {tool}
    </code>,
    <span key="detail" className={styles.detail} title={detailText(detail)}>
      {detailText(rest)}
    </span>,
  ];
}

const detailText = (detail: AuditRow["detail"]): string =>
  Object.entries(detail)
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${String(value)}`)
    .join(" · ");

const countWords = ({ count }: AuditRows): string =>
  count === AUDIT_ROWS_MAX ? `the newest ${count}` : count === 1 ? "1 row" : `${count} rows`;
