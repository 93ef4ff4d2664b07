import { memo, useEffect } from "react";
import type { TerminalRecord } from "../../electron/contract/terminals.ts";
import { madeVisible } from "../../electron/contract/visible.ts";
import { Empty, Frame } from "../ui/frame.tsx";
import { Split } from "../ui/split.tsx";
import { Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { useWide } from "../ui/use-wide.ts";
import { VirtualGrid, type Column } from "../ui/virtual-grid.tsx";
import { HowItEnded } from "./how-it-ended.tsx";
import { ProcessPane } from "./process-pane.tsx";
import { proofWords, sumWords } from "./proof-words.ts";
import styles from "./terminal-history.module.css";

// Fractions of less than 1: the least width of a list takes 1fr for as much as the widest least width, that of the proof. With
// so much for the command, too, it did not fit into the smallest window.
const STARTED: Column = { key: "started", title: "Started", width: "168px" };
const AGENT: Column = { key: "agent", title: "Agent", width: "minmax(64px, 0.3fr)" };
const COMMAND: Column = { key: "command", title: "Command", width: "minmax(92px, 0.75fr)" };
const END: Column = { key: "end", title: "End", width: "172px" };
const PROOF: Column = { key: "proof", title: "Proof", width: "minmax(116px, 0.225fr)" };
const GONE: Column = { key: "gone", title: "Gone", width: "168px" };
const PROCESS: Column = { key: "process", title: "Process", width: "64px", align: "end" };
const ALL = [STARTED, AGENT, COMMAND, END, PROOF, GONE, PROCESS];
/** What a small window has room for; the rest is in what opens with the row. */
const SMALL = [STARTED, AGENT, COMMAND, END, PROOF];
/** Beside a process there is room for what tells processes apart. */
const COMPACT = [STARTED, AGENT, COMMAND];

type Props = {
  /** The session of the process that is open beside the list. */
  openId: string | null;
  onOpen: (id: string | null) => void;
};

/** Every process that an agent ever started here, newest first, and the proof of its end. */
export function TerminalHistory(props: Props) {
  const history = useApp((state) => state.terminalHistory);
  const follow = useApp((state) => state.followTerminalHistory);
  useEffect(() => follow(), [follow]);
  return (
    <section className={styles.history} aria-label="What agents started">
      <Frame reading={history} what="what agents started" ofApp>
        {(records) =>
          records.length === 0 ? (
            <Empty title="No agent has started anything yet">
              <p>Every process that an agent starts is listed here, with the proof of its end.</p>
            </Empty>
          ) : (
            <Records records={records} {...props} />
          )
        }
      </Frame>
    </section>
  );
}

function Records({ records, openId, onOpen }: Props & { records: readonly TerminalRecord[] }) {
  const wide = useWide();
  const pane =
    openId === null ? null : (
      <ProcessPane
        key={openId}
        record={records.find(({ session_id }) => session_id === openId)}
        onClose={() => onOpen(null)}
      />
    );
  const columns = !wide ? SMALL : pane === null ? ALL : COMPACT;
  return (
    <>
      <p className={styles.sum} role="status">
        {sumWords(records)}
      </p>
      <Split
        list={
          <VirtualGrid
            label="List of processes"
            what="session"
            columns={columns}
            count={records.length}
            openKey={openId}
            row={(index) => {
              const record = records[index];
              return record === undefined
                ? null
                : { key: record.session_id, cells: cellsOf(record).slice(0, columns.length) };
            }}
            onOpen={(index) => {
              const record = records[index];
              if (record !== undefined) onOpen(record.session_id);
            }}
          />
        }
        detail={pane}
      />
    </>
  );
}

function cellsOf(record: TerminalRecord) {
  const { short, whole } = proofWords(record);
  return [
    <Time key="started" at={record.started_at} />,
    record.agent,
    <Command key="command" command={record.command} />,
    <HowItEnded key="end" record={record} />,
    <span key="proof" className={styles.proof} title={whole}>
      {short}
    </span>,
    record.gone_at === null ? "" : <Time key="gone" at={record.gone_at} />,
    <span key="process" className={styles.number}>
      {record.pid ?? "none"}
    </span>,
  ];
}

/** A list is drawn with every step of its scrolling; a command is looked through once, for what cannot be seen. */
const Command = memo(function Command({ command }: { command: string | undefined }) {
  if (command === undefined) return <span className={styles.lost}>not kept after a restart</span>;
  const shown = madeVisible(command);
  return (
    <span className={styles.command} title={shown}>
      {shown}
    </span>
  );
});
