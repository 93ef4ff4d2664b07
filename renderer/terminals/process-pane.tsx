import { useState } from "react";
import type { TerminalRecord } from "../../electron/contract/terminals.ts";
import { madeVisible } from "../../electron/contract/visible.ts";
import { Button } from "../ui/button.tsx";
import { Detail, DetailBody, DetailNote, DetailSection } from "../ui/detail.tsx";
import { Facts } from "../ui/facts.tsx";
import { Empty } from "../ui/frame.tsx";
import { Identifier } from "../ui/identifier.tsx";
import { PaneClose } from "../ui/pane-close.tsx";
import { Time } from "../ui/time.tsx";
import { CommandText } from "./command-text.tsx";
import { HowItEnded } from "./how-it-ended.tsx";
import { proofWords } from "./proof-words.ts";
import styles from "./process-pane.module.css";
import { WholeCommand } from "./whole-command.tsx";

/** One process that an agent started: what ran where, its command, and what proves its end. */
export function ProcessPane({
  record,
  onClose,
}: {
  record: TerminalRecord | undefined;
  onClose: () => void;
}) {
  return (
    <Detail
      label="Process detail"
      title={typeof record?.pid === "number" ? `Process ${record.pid}` : "Process"}
      close={<PaneClose what="process" list="All processes" onClose={onClose} />}
      id={record !== undefined && <Identifier id={record.session_id} what="the session's id" />}
    >
      {record === undefined ? (
        <Empty title="This process is not among those that are listed">
          <p>It is older than the processes listed.</p>
        </Empty>
      ) : (
        <DetailBody>
          <Facts
            facts={[
              { name: "Agent", value: record.agent },
              { name: "End", value: <HowItEnded record={record} /> },
              { name: "Started", value: <Time at={record.started_at} precise /> },
              record.ended_at === null
                ? null
                : { name: "Ended", value: <Time at={record.ended_at} precise /> },
              record.gone_at === null ? null : { name: "Gone", value: <Time at={record.gone_at} precise /> },
              { name: "Shell", value: <code>{madeVisible(record.shell)}</code> },
              { name: "Folder", value: <code>{madeVisible(record.cwd)}</code> },
            ]}
          />
          <DetailSection title="Proof">
            <p data-selectable>{proofWords(record).whole}</p>
          </DetailSection>
          <DetailSection title="Command">
            <Command record={record} />
          </DetailSection>
        </DetailBody>
      )}
    </Detail>
  );
}

function Command({ record }: { record: TerminalRecord }) {
  const [whole, setWhole] = useState(false);
  const { command, command_chars: chars } = record;
  if (command === undefined) return <DetailNote>Not kept after a restart of the app.</DetailNote>;
  if (chars === undefined) return <CommandText command={command} />;
  return (
    <>
      <div className={styles.cut}>
        <DetailNote>Its beginning, of {chars.toLocaleString("en")} characters.</DetailNote>
        <Button onClick={() => setWhole(true)}>Show the whole command</Button>
      </div>
      <CommandText command={command} />
      {whole && <WholeCommand session={record} onClose={() => setWhole(false)} />}
    </>
  );
}
