import { useEffect } from "react";
import type { FunctionRecord } from "../../mcp/contract/domain.ts";
import { shortUrl } from "../shell/connection-words.ts";
import { goTo } from "../store/navigation.ts";
import { dataOf } from "../store/reading.ts";
import { formatRoute } from "../store/route.ts";
import { Empty, Frame } from "../ui/frame.tsx";
import { Page } from "../ui/page.tsx";
import { Status } from "../ui/status.tsx";
import { showDuration } from "../ui/time-format.ts";
import { Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { VirtualGrid, type Column } from "../ui/virtual-grid.tsx";
import styles from "./functions-page.module.css";
import { triggerText } from "./trigger-text.ts";

const COLUMNS: readonly Column[] = [
  { key: "status", title: "Status", width: "88px" },
  // Its name is what a person looks for: it gets the most room.
  { key: "id", title: "Function", width: "minmax(200px, 1.4fr)" },
  { key: "triggers", title: "Started by", width: "minmax(130px, 1fr)" },
  { key: "where", title: "Runs at", width: "minmax(110px, 0.6fr)" },
  { key: "limits", title: "Attempts, timeout", width: "150px" },
  { key: "version", title: "Version", width: "64px", align: "end" },
  { key: "updated", title: "Registered", width: "168px" },
];

/** The functions that the engine knows. A row leads to its runs. */
export function FunctionsPage() {
  const open = useApp((state) => state.openFunctions);
  const reading = useApp((state) => state.functions);
  useEffect(() => open(), [open]);
  const data = dataOf(reading);
  const row = (index: number) => {
    const record = data?.rows[index];
    return record === undefined ? null : { key: record.id, cells: cellsOf(record) };
  };
  return (
    <Page title="Functions" note={data === undefined ? undefined : data.total.toLocaleString("en")}>
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
                columns={COLUMNS}
                count={all.length}
                row={row}
                onOpen={(index) => {
                  const record = all[index];
                  if (record !== undefined) goTo(formatRoute("runs", null, { function: record.id }));
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
    </Page>
  );
}

/** The whole id, which a long one may not have room for, and what the function is for. */
function titleOf({ id, name, description }: FunctionRecord): string {
  const more = description ?? name;
  return more === undefined || more === "" || more === id ? id : `${id}: ${more}`;
}

function cellsOf(record: FunctionRecord) {
  const faint = (key: string, text: string) => (
    <span key={key} className={styles.faint} title={text}>
      {text}
    </span>
  );
  const attempts = record.max_attempts === undefined ? "" : `${record.max_attempts} attempts`;
  const timeout = record.timeout_ms === undefined ? "" : showDuration(record.timeout_ms);
  return [
    <Status key="status" kind="function" status={record.status} />,
    <span key="id" className={styles.name} title={titleOf(record)}>
      {record.id}
    </span>,
    faint("triggers", record.triggers.map(triggerText).join(", ")),
    faint(
      "where",
      record.endpoint_url === undefined ? `${record.execution_mode} worker` : shortUrl(record.endpoint_url),
    ),
    faint("limits", [attempts, timeout].filter((part) => part !== "").join(", ") || "the engine's own"),
    record.version,
    record.updated_at === undefined ? "" : <Time key="updated" at={record.updated_at} />,
  ];
}
