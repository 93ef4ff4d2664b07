import type { AuditRow } from "../../electron/contract/audit.ts";
import { hrefTo } from "../store/route.ts";
import { Detail, DetailBody, DetailNote, DetailSection } from "../ui/detail.tsx";
import { Facts } from "../ui/facts.tsx";
import { Empty } from "../ui/frame.tsx";
import { PaneClose } from "../ui/pane-close.tsx";
import { Time } from "../ui/time.tsx";
import { auditFiltersQuery, type AuditFilters } from "./audit-filters.ts";
import { orderedFields } from "./detail-text.ts";
import { eventWords } from "./event-words.ts";

/** One row of the audit with everything that it holds, and the way to what is like it. */
export function AuditPane(props: { row: AuditRow | undefined; filters: AuditFilters; onClose: () => void }) {
  const { row } = props;
  return (
    <Detail
      label="Audit detail"
      title={row === undefined ? "Row" : eventWords(row.event)}
      close={<PaneClose what="row" list="All rows" onClose={props.onClose} />}
    >
      {row === undefined ? (
        <Empty title="This row is not among those that are listed">
          <p>It is older than the rows listed, or the filters leave it out.</p>
        </Empty>
      ) : (
        <Body row={row} filters={props.filters} />
      )}
    </Detail>
  );
}

function Body({ row, filters }: { row: AuditRow; filters: AuditFilters }) {
  const { tool, call_id: callId } = row.detail;
  const to = (change: Partial<AuditFilters>) =>
    hrefTo("audit", null, auditFiltersQuery({ ...filters, ...change }));
  return (
    <DetailBody>
      <Facts
        facts={[
          { name: "Time", value: <Time at={row.time} precise /> },
          { name: "Event", value: <code>{row.event}</code> },
          { name: "Who", value: row.user === "user" ? "You" : <code>{row.user}</code> },
          row.remote === undefined ? null : { name: "From", value: <code>{row.remote}</code> },
          row.forwarded_for === undefined
            ? null
            : { name: "A proxy claims it forwards for", value: <code>{row.forwarded_for}</code> },
        ]}
      />
      <DetailSection title="Fields">
        {Object.keys(row.detail).length === 0 ? (
          <DetailNote>None.</DetailNote>
        ) : (
          <Facts
            facts={orderedFields(row.detail).map(([name, value]) => ({ name, value: <code>{value}</code> }))}
          />
        )}
      </DetailSection>
      <DetailNote>What was passed along is not recorded.</DetailNote>
      <DetailSection title="More like it">
        <ul>
          {typeof callId === "string" && (
            <li>
              <a href={to({ event: "", user: "", tool: "", call: callId })}>Everything about this call</a>
            </li>
          )}
          {row.user !== "unknown" && (
            <li>
              <a href={to({ event: "", user: row.user.replace(/^token:/, ""), call: "" })}>
                Everything of this caller
              </a>
            </li>
          )}
          {typeof tool === "string" && (
            <li>
              <a href={to({ event: "", tool, call: "" })}>Everything about this tool</a>
            </li>
          )}
        </ul>
      </DetailSection>
    </DetailBody>
  );
}
