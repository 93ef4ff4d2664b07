import { useEffect, type ReactNode } from "react";
import type { FunctionRecord } from "../../mcp/contract/domain.ts";
import { shortUrl } from "../shell/connection-words.ts";
import { goTo } from "../store/navigation.ts";
import { dataOf } from "../store/reading.ts";
import { formatRoute } from "../store/route.ts";
import { Empty, Frame } from "../ui/frame.tsx";
import { Page } from "../ui/page.tsx";
import { Split } from "../ui/split.tsx";
import { Status } from "../ui/status.tsx";
import { showDuration } from "../ui/time-format.ts";
import { Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { useWide } from "../ui/use-wide.ts";
import { VirtualGrid, type Column } from "../ui/virtual-grid.tsx";
import styles from "./functions-page.module.css";
import { FunctionPane } from "./function-pane.tsx";
import { triggerText } from "./trigger-text.ts";

const STATUS: Column = { key: "status", title: "Status", width: "88px" };
const ID: Column = { key: "id", title: "Function", width: "minmax(150px, 1fr)" };
const TRIGGERS: Column = { key: "triggers", title: "Started by", width: "minmax(170px, 1.2fr)" };
// An address of this machine with a port of five figures fits.
const WHERE: Column = { key: "where", title: "Runs at", width: "minmax(124px, 0.6fr)" };
const LIMITS: Column = { key: "limits", title: "Attempts, timeout", width: "124px" };
const VERSION: Column = { key: "version", title: "Version", width: "52px", align: "end" };
const UPDATED: Column = { key: "updated", title: "Registered", width: "168px" };
const ALL = [STATUS, ID, TRIGGERS, WHERE, LIMITS, VERSION, UPDATED];
/** What a small window has room for; the rest is in the detail. */
const SMALL = [STATUS, ID, TRIGGERS, LIMITS, VERSION];
/** Beside a detail. */
const COMPACT = [STATUS, ID, VERSION];

/** The functions that the engine knows, and beside them the one that is open. */
export function FunctionsPage() {
  const openId = useApp((state) => state.route.id);
  const open = useApp((state) => state.openFunctions);
  const reading = useApp((state) => state.functions);
  const wide = useWide();
  useEffect(() => open(), [open]);
  const total = dataOf(reading)?.total;
  const go = (id: string | null) => goTo(formatRoute("functions", id));
  const pane =
    openId === null ? null : <FunctionPane key={openId} functionId={openId} onClose={() => go(null)} />;
  if (!wide && pane !== null) {
    return (
      <>
        <h1 className="visually-hidden">Functions</h1>
        {pane}
      </>
    );
  }
  const columns = !wide ? SMALL : pane === null ? ALL : COMPACT;
  return (
    <Page title="Functions" note={total === undefined ? undefined : total.toLocaleString("en")}>
      <Split list={<List columns={columns} openId={openId} onOpen={go} />} detail={pane} />
    </Page>
  );
}

function List(props: { columns: readonly Column[]; openId: string | null; onOpen: (id: string) => void }) {
  const { columns } = props;
  const reading = useApp((state) => state.functions);
  return (
    <Frame reading={reading} what="the functions">
      {({ rows: all, total }) =>
        all.length === 0 ? (
          <Empty title="No function is registered">
            <p>An application registers its functions when it starts and connects to the engine.</p>
          </Empty>
        ) : (
          <>
            <VirtualGrid
              label="Functions"
              what="function"
              columns={columns}
              count={all.length}
              openKey={props.openId}
              row={(index) => {
                const record = all[index];
                if (record === undefined) return null;
                const cells = cellsOf(record);
                return { key: record.id, cells: columns.map(({ key }) => cells[key]) };
              }}
              onOpen={(index) => {
                const record = all[index];
                if (record !== undefined) props.onOpen(record.id);
              }}
            />
            {all.length < total && (
              <p className={styles.end}>
                The first {all.length.toLocaleString("en")} of {total.toLocaleString("en")} functions.
              </p>
            )}
          </>
        )
      }
    </Frame>
  );
}

/** The whole id, which a long one may not have room for, and what the function is for. */
function titleOf({ id, name, description }: FunctionRecord): string {
  const more = description ?? name;
  return more === undefined || more === "" || more === id ? id : `${id}: ${more}`;
}

function cellsOf(record: FunctionRecord): Readonly<Record<string, ReactNode>> {
  const faint = (text: string) => (
    <span className={styles.faint} title={text}>
      {text}
    </span>
  );
  const attempts = record.max_attempts === undefined ? "" : `${record.max_attempts} attempts`;
  const timeout = record.timeout_ms === undefined ? "" : showDuration(record.timeout_ms);
  return {
    status: <Status kind="function" status={record.status} />,
    id: (
      <span className={styles.name} title={titleOf(record)}>
        {record.id}
      </span>
    ),
    triggers: faint(record.triggers.map(triggerText).join(", ") || "other functions, and by hand"),
    where: faint(
      record.endpoint_url === undefined ? `${record.execution_mode} worker` : shortUrl(record.endpoint_url),
    ),
    limits: faint([attempts, timeout].filter((part) => part !== "").join(", ") || "engine's default"),
    version: record.version,
    updated: record.updated_at === undefined ? "" : <Time at={record.updated_at} />,
  };
}
