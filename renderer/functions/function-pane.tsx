import { useEffect } from "react";
import type { FunctionDetail } from "../../mcp/contract/domain.ts";
import { JsonView } from "../json/json-view.tsx";
import { RunLine } from "../runs/run-line.tsx";
import { isGone } from "../runs/run-slice.ts";
import { dataOf } from "../store/reading.ts";
import { hrefTo } from "../store/route.ts";
import { Detail, DetailBody, DetailNote, DetailSection } from "../ui/detail.tsx";
import { Facts } from "../ui/facts.tsx";
import { Empty, Frame } from "../ui/frame.tsx";
import { Identifier } from "../ui/identifier.tsx";
import { PaneClose } from "../ui/pane-close.tsx";
import { Status } from "../ui/status.tsx";
import { Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { otherFacts, retryFacts } from "./function-facts.ts";
import styles from "./function-pane.module.css";
import type { FunctionRuns } from "./function-slice.ts";
import { triggerText } from "./trigger-text.ts";

/** One function: what starts it, how it is tried again, whether its endpoint answers, and its newest runs. */
export function FunctionPane({ functionId, onClose }: { functionId: string; onClose: () => void }) {
  const open = useApp((state) => state.openFunction);
  const reading = useApp((state) => state.functionDetail);
  useEffect(() => open(functionId), [open, functionId]);
  const gone = (reading.phase === "failed" || reading.phase === "stale") && isGone(reading.problem);
  return (
    <Detail
      label="Function detail"
      title={dataOf(reading)?.name ?? functionId}
      close={<PaneClose what="function" list="All functions" onClose={onClose} />}
      id={<Identifier id={functionId} what="the function id" />}
    >
      {gone ? (
        <Empty title="There is no such function">
          <p>The engine knows no function with this id.</p>
        </Empty>
      ) : (
        <Frame reading={reading} what="the function">
          {(detail) => <FunctionBody detail={detail} />}
        </Frame>
      )}
    </Detail>
  );
}

function FunctionBody({ detail }: { detail: FunctionDetail }) {
  const runs = useApp((state) => state.functionRuns);
  const { id, description, metadata, debounce } = detail;
  return (
    <DetailBody>
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
      <DetailSection title="Started by">
        {detail.triggers.length === 0 ? (
          <DetailNote>No event and no schedule: it is invoked.</DetailNote>
        ) : (
          <ul>
            {detail.triggers.map((trigger) => (
              <li key={triggerText(trigger)}>
                <code>{triggerText(trigger)}</code>
              </li>
            ))}
          </ul>
        )}
      </DetailSection>
      <DetailSection title="Retries">
        <Facts facts={retryFacts(detail)} />
      </DetailSection>
      {otherFacts(detail).length > 0 && (
        <DetailSection title="Limits">
          <Facts facts={otherFacts(detail)} />
        </DetailSection>
      )}
      <Versions />
      <FunctionBreakers functionId={id} mode={detail.execution_mode} />
      <DetailSection title="Newest runs">
        <Frame reading={runs} what="its runs">
          {(data) => <Runs data={data} functionId={id} />}
        </Frame>
      </DetailSection>
      {debounce !== undefined && (
        <DetailSection title="Debounce">
          <JsonView value={debounce} label="the function's debounce" />
        </DetailSection>
      )}
      {metadata !== undefined && (
        <DetailSection title="Metadata">
          <JsonView value={metadata} label="the function's metadata" />
        </DetailSection>
      )}
    </DetailBody>
  );
}

function Versions() {
  const reading = useApp((state) => state.functionVersions);
  return (
    <DetailSection title="Versions">
      <Frame reading={reading} what="its versions">
        {(data) =>
          data === null ? (
            <DetailNote>This engine does not tell earlier versions.</DetailNote>
          ) : (
            <ol className={styles.versions} aria-label="Versions, newest first">
              {data.rows.map(({ version, change_reason: reason, created_at: at }) => (
                <li key={version}>
                  <span className={styles.version}>Version {version}</span>{" "}
                  <span>{at !== undefined && <Time at={at} />}</span> <span>{reason}</span>
                </li>
              ))}
              {data.total > data.rows.length && (
                <li>
                  <DetailNote>
                    The newest {data.rows.length} of {data.total.toLocaleString("en")}.
                  </DetailNote>
                </li>
              )}
            </ol>
          )
        }
      </Frame>
    </DetailSection>
  );
}

function FunctionBreakers({ functionId, mode }: { functionId: string; mode: string }) {
  const breakers = useApp((state) => dataOf(state.breakers));
  if (mode !== "push" || breakers === undefined) return null; // pull functions have none
  const own = breakers.filter((breaker) => breaker.function_id === functionId);
  return (
    <DetailSection title="Circuit breaker">
      {own.length === 0 && <DetailNote>None has been needed.</DetailNote>}
      {own.map((breaker) => (
        <p key={breaker.key}>
          <Status kind="breaker" status={breaker.state} /> {breaker.consecutive_fails === 1 && "1 failure. "}
          {breaker.consecutive_fails > 1 && `${breaker.consecutive_fails} failures in a row. `}
          <a href={hrefTo("breakers")}>Circuit breakers</a>
        </p>
      ))}
    </DetailSection>
  );
}

function Runs({ data, functionId }: { data: FunctionRuns; functionId: string }) {
  if (data.total === 0) return <DetailNote>It has not run.</DetailNote>;
  return (
    <>
      <ul>
        {data.rows.map((run) => (
          <RunLine key={run.id} run={run} by="id" />
        ))}
      </ul>
      <a href={hrefTo("runs", null, { function: functionId, window: "all" })}>
        {data.total === 1 ? "In the list of runs" : `All ${data.total.toLocaleString("en")} runs`}
      </a>
    </>
  );
}
