import { useEffect, useMemo } from "react";
import type { AuditPage as AuditRows, AuditRow } from "../../electron/contract/audit.ts";
import { AUDIT_ROWS_MAX } from "../../electron/contract/audit.ts";
import { goTo, goToFiltered } from "../store/navigation.ts";
import { dataOf } from "../store/reading.ts";
import { formatRoute } from "../store/route.ts";
import { Callout } from "../ui/callout.tsx";
import { Choice } from "../ui/choice.tsx";
import { ClearFilters } from "../ui/clear-filters.tsx";
import { Empty, Failed, Loading } from "../ui/frame.tsx";
import { Page } from "../ui/page.tsx";
import { SearchBox } from "../ui/search-box.tsx";
import { Split } from "../ui/split.tsx";
import { Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { useWide } from "../ui/use-wide.ts";
import { VirtualGrid, type Column } from "../ui/virtual-grid.tsx";
import { WindowChoice } from "../ui/window-choice.tsx";
import {
  auditFiltersQuery,
  EVENT_KINDS,
  EVENT_WORDS,
  isAuditFiltered,
  readAuditFilters,
  type AuditFilters,
} from "./audit-filters.ts";
import { AuditPane } from "./audit-pane.tsx";
import { detailLine, inLine } from "./detail-text.ts";
import { eventWords } from "./event-words.ts";
import styles from "./audit-page.module.css";

const TIME: Column = { key: "time", title: "Time", width: "190px" };
const EVENT: Column = { key: "event", title: "Event", width: "minmax(160px, 0.9fr)" };
const USER: Column = { key: "user", title: "Who", width: "minmax(100px, 0.5fr)" };
const TOOL: Column = { key: "tool", title: "Tool", width: "minmax(140px, 0.8fr)" };
const DETAIL: Column = { key: "detail", title: "Detail", width: "minmax(180px, 1.2fr)" };
const ALL = [TIME, EVENT, USER, TOOL, DETAIL];
/** What a small window has room for; the rest is in the row's own page. */
const SMALL = [
  TIME,
  { ...EVENT, width: "minmax(140px, 1fr)" },
  { ...USER, width: "minmax(80px, 0.6fr)" },
  { ...TOOL, width: "minmax(110px, 0.8fr)" },
];
/** Beside a row there is room for what tells rows apart. */
const COMPACT = [TIME, { ...EVENT, width: "minmax(110px, 1fr)" }, { ...USER, width: "minmax(70px, 0.5fr)" }];
const KINDS = EVENT_KINDS.map((value) => ({ value, label: EVENT_WORDS[value] }));

/** What agents and the person did here, newest first. What they passed along is never in it. */
export function AuditPage() {
  const query = useApp((state) => state.route.query);
  const openId = useApp((state) => state.route.id);
  const follow = useApp((state) => state.followAudit);
  const audit = useApp((state) => state.audit);
  const wide = useWide();
  const key = JSON.stringify(query);
  const filters = useMemo(() => readAuditFilters(JSON.parse(key) as typeof query), [key]);
  useEffect(() => follow(filters), [follow, filters]);
  const go = (id: string | null) => goTo(formatRoute("audit", id, query));
  const change = (next: Partial<AuditFilters>) =>
    goToFiltered("audit", openId, query, auditFiltersQuery({ ...filters, ...next }), ["user", "tool"]);
  const page = dataOf(audit);
  const rows = useMemo(() => withIds(page?.rows ?? []), [page]);
  const pane =
    openId === null || page === undefined ? null : (
      <AuditPane row={rows.find(({ id }) => id === openId)?.row} filters={filters} onClose={() => go(null)} />
    );
  if (!wide && pane !== null) {
    return (
      <>
        <h1 className="visually-hidden">Audit</h1>
        {pane}
      </>
    );
  }
  return (
    <Page
      title="Audit"
      note={page === undefined ? undefined : countWords(page)}
      tools={<Filters filters={filters} onChange={change} />}
    >
      {audit.phase === "loading" && <Loading what="the audit" />}
      {audit.phase === "failed" && <Failed what="the audit" problem={audit.problem} />}
      {page !== undefined && (
        <Split
          list={
            <List
              rows={rows}
              lost={page.lost}
              openId={openId}
              columns={!wide ? SMALL : pane === null ? ALL : COMPACT}
              filtered={isAuditFiltered(filters)}
              onOpen={go}
            />
          }
          detail={pane}
        />
      )}
    </Page>
  );
}

function Filters(props: { filters: AuditFilters; onChange: (next: Partial<AuditFilters>) => void }) {
  const { filters, onChange } = props;
  return (
    <>
      {isAuditFiltered(filters) && (
        <ClearFilters onClear={() => onChange({ event: "", user: "", tool: "", call: "" })} />
      )}
      <SearchBox
        label="Who: a token's name, or user for yourself"
        placeholder="Token name, or user"
        value={filters.user}
        onChange={(user) => onChange({ user })}
      />
      <SearchBox
        label="Tool, by its whole name"
        placeholder="Tool"
        value={filters.tool}
        onChange={(tool) => onChange({ tool })}
      />
      <Choice
        label="Events"
        value={filters.event}
        options={KINDS}
        onChange={(event) => onChange({ event })}
      />
      <WindowChoice value={filters.window} onChange={(window) => onChange({ window })} />
    </>
  );
}

type Identified = { readonly id: string; readonly row: AuditRow };

/** A row by its time, and by its place where several have one: that stays while newer rows come. */
function withIds(rows: readonly AuditRow[]): readonly Identified[] {
  const seen = new Map<string, number>();
  // From the oldest on: newer rows of the same instant come behind those that were there.
  return rows
    .toReversed()
    .map((row) => {
      const nth = seen.get(row.time) ?? 0;
      seen.set(row.time, nth + 1);
      return { id: `${row.time}.${nth}`, row };
    })
    .toReversed();
}

function List(props: {
  rows: readonly Identified[];
  lost: number;
  openId: string | null;
  columns: readonly Column[];
  filtered: boolean;
  onOpen: (id: string) => void;
}) {
  const { rows, columns } = props;
  if (rows.length === 0) {
    return (
      <Empty title={props.filtered ? "No row passes the filters" : "Nothing was done in this time"}>
        <p>Every call of an agent, every change of yours and every question leaves a row here.</p>
      </Empty>
    );
  }
  return (
    <div className={styles.list}>
      {props.lost > 0 && (
        <Callout tone="bad" title={`${props.lost} rows could not be written since the app started.`} />
      )}
      <VirtualGrid
        label="Audit"
        what="audit"
        columns={columns}
        count={rows.length}
        openKey={props.openId}
        row={(index) => {
          const found = rows[index];
          return found === undefined
            ? null
            : { key: found.id, cells: cellsOf(found.row).slice(0, columns.length) };
        }}
        onOpen={(index) => {
          const found = rows[index];
          if (found !== undefined) props.onOpen(found.id);
        }}
      />
    </div>
  );
}

function cellsOf({ time, event, user, detail }: AuditRow) {
  const { tool } = detail;
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
    <span key="detail" className={styles.detail} title={inLine(detail)}>
      {detailLine(detail)}
    </span>,
  ];
}

const countWords = ({ count }: AuditRows): string =>
  count === AUDIT_ROWS_MAX ? `the newest ${count}` : count === 1 ? "1 row" : `${count} rows`;
