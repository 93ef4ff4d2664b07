import { useEffect } from "react";
import type { FunctionDetail } from "../../mcp/contract/domain.ts";
import { JsonView } from "../json/json-view.tsx";
import { isGone } from "../runs/run-slice.ts";
import { dataOf } from "../store/reading.ts";
import { hrefTo } from "../store/route.ts";
import styles from "../ui/detail.module.css";
import { Facts } from "../ui/facts.tsx";
import { Empty, Frame } from "../ui/frame.tsx";
import { Identifier } from "../ui/identifier.tsx";
import { PaneClose } from "../ui/pane-close.tsx";
import { Status } from "../ui/status.tsx";
import { Duration, Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { otherFacts, retryFacts } from "./function-facts.ts";
import type { FunctionRuns } from "./function-slice.ts";
import { triggerText } from "./trigger-text.ts";

/** One function: what starts it, how it is tried again, whether its endpoint answers, and its newest runs. */
export function FunctionPane({ functionId, onClose }: { functionId: string; onClose: () => void }) {
  const open = useApp((state) => state.openFunction);
  const reading = useApp((state) => state.functionDetail);
  useEffect(() => open(functionId), [open, functionId]);
  const gone = (reading.phase === "failed" || reading.phase === "stale") && isGone(reading.problem);
  return (
    <section className={styles.pane} aria-label="Function detail">
      <header className={styles.header}>
        <div className={styles.top}>
          <h2 className={styles.name}>{dataOf(reading)?.name ?? functionId}</h2>
          <PaneClose what="function" list="All functions" onClose={onClose} />
        </div>
        <Identifier id={functionId} what="the function id" />
      </header>
      {gone ? (
        <Empty title="There is no such function">
          <p>The engine knows no function with this id.</p>
        </Empty>
      ) : (
        <Frame reading={reading} what="the function">
          {(detail) => <FunctionBody detail={detail} />}
        </Frame>
      )}
    </section>
  );
}

function FunctionBody({ detail }: { detail: FunctionDetail }) {
  const runs = useApp((state) => state.functionRuns);
  const { id, description, metadata, debounce } = detail;
  return (
    <div className={styles.body} tabIndex={-1}>
      {description !== undefined && description !== "" && <p>{description}</p>}
      <Facts
        facts={[
          { name: "Status", value: <Status kind="function" status={detail.status} /> },
          { name: "Version", value: detail.version },
          {
            name: "Runs at",
            value:
              detail.endpoint_url === undefined ? (
                `${detail.execution_mode} worker`
              ) : (
                <code>{detail.endpoint_url}</code>
              ),
          },
          detail.created_at === undefined
            ? null
            : { name: "First registered", value: <Time at={detail.created_at} /> },
          detail.updated_at === undefined
            ? null
            : { name: "This version since", value: <Time at={detail.updated_at} /> },
        ]}
      />
      <section aria-label="Started by">
        <h3 className={styles.heading}>Started by</h3>
        {detail.triggers.length === 0 ? (
          <p className={styles.none}>No event and no schedule: it is invoked.</p>
        ) : (
          <ul>
            {detail.triggers.map((trigger) => (
              <li key={triggerText(trigger)}>
                <code>{triggerText(trigger)}</code>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section aria-label="Retries">
        <h3 className={styles.heading}>Retries</h3>
        <Facts facts={retryFacts(detail)} />
      </section>
      {otherFacts(detail).length > 0 && (
        <section aria-label="Limits">
          <h3 className={styles.heading}>Limits</h3>
          <Facts facts={otherFacts(detail)} />
        </section>
      )}
      <Versions />
      <FunctionBreakers functionId={id} mode={detail.execution_mode} />
      <section aria-label="Newest runs">
        <h3 className={styles.heading}>Newest runs</h3>
        <Frame reading={runs} what="its runs">
          {(data) => <Runs data={data} functionId={id} />}
        </Frame>
      </section>
      {debounce !== undefined && (
        <section aria-label="Debounce">
          <h3 className={styles.heading}>Debounce</h3>
          <JsonView value={debounce} label="the function's debounce" />
        </section>
      )}
      {metadata !== undefined && (
        <section aria-label="Metadata">
          <h3 className={styles.heading}>Metadata</h3>
          <JsonView value={metadata} label="the function's metadata" />
        </section>
      )}
    </div>
  );
}

function Versions() {
  const reading = useApp((state) => state.functionVersions);
  return (
    <section aria-label="Versions">
      <h3 className={styles.heading}>Versions</h3>
      <Frame reading={reading} what="its versions">
        {(data) =>
          data === null ? (
            <p className={styles.none}>This engine does not tell earlier versions.</p>
          ) : (
            <ol aria-label="Versions, newest first">
              {data.rows.map(({ version, change_reason: reason, created_at: at }) => (
                <li key={version}>
                  {version} {at !== undefined && <Time at={at} />} {reason}
                </li>
              ))}
              {data.total > data.rows.length && (
                <li className={styles.none}>
                  The newest {data.rows.length} of {data.total.toLocaleString("en")}.
                </li>
              )}
            </ol>
          )
        }
      </Frame>
    </section>
  );
}

function FunctionBreakers({ functionId, mode }: { functionId: string; mode: string }) {
  const breakers = useApp((state) => dataOf(state.breakers));
  if (mode !== "push" || breakers === undefined) return null; // pull functions have none
  const own = breakers.filter((breaker) => breaker.function_id === functionId);
  return (
    <section aria-label="Circuit breaker">
      <h3 className={styles.heading}>Circuit breaker</h3>
      {own.length === 0 && <p className={styles.none}>None has been needed.</p>}
      {own.map((breaker) => (
        <p key={breaker.key}>
          <Status kind="breaker" status={breaker.state} /> {breaker.consecutive_fails === 1 && "1 failure. "}
          {breaker.consecutive_fails > 1 && `${breaker.consecutive_fails} failures in a row. `}
          <a href={hrefTo("breakers")}>Circuit breakers</a>
        </p>
      ))}
    </section>
  );
}

function Runs({ data, functionId }: { data: FunctionRuns; functionId: string }) {
  if (data.total === 0) return <p className={styles.none}>It has not run.</p>;
  return (
    <>
      <ul>
        {data.rows.map((run) => (
          <li key={run.id} className={styles.run}>
            <Status kind="run" status={run.status} />
            <a className={styles.id} href={hrefTo("runs", run.id)}>
              <code>{run.id}</code>
            </a>
            <Time at={run.started_at ?? run.created_at} />
            <Duration from={run.started_at} to={run.ended_at} />
          </li>
        ))}
      </ul>
      <a href={hrefTo("runs", null, { function: functionId, window: "all" })}>
        {data.total === 1 ? "In the list of runs" : `All ${data.total.toLocaleString("en")} runs`}
      </a>
    </>
  );
}
