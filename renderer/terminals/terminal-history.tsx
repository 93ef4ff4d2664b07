import { useEffect } from "react";
import type { TerminalRecord } from "../../electron/contract/terminals.ts";
import { madeVisible } from "../../electron/contract/visible.ts";
import { Empty, Frame } from "../ui/frame.tsx";
import { Look } from "../ui/status.tsx";
import { Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { proofWords } from "./proof-words.ts";
import { sessionLook } from "./session-look.ts";
import styles from "./terminal-history.module.css";

/** Every process that an agent ever started here, and the proof of its end. */
export function TerminalHistory() {
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
            <Records records={records} />
          )
        }
      </Frame>
    </section>
  );
}

function Records({ records }: { records: readonly TerminalRecord[] }) {
  const open = records.filter(({ gone_at }) => gone_at === null).length;
  return (
    <>
      <p className={styles.sum} role="status">
        {open === 0
          ? `Nothing is left running: ${records.length === 1 ? "the one process" : `all ${records.length}`} ended, with proof.`
          : `${open} of ${records.length} run, or their end is not proved.`}
      </p>
      <div className={styles.scroll} tabIndex={0} role="group" aria-label="List of processes">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Agent</th>
              <th scope="col">Command</th>
              <th scope="col">Process</th>
              <th scope="col">Started</th>
              <th scope="col">End</th>
              <th scope="col">Gone</th>
              <th scope="col">Proof</th>
            </tr>
          </thead>
          <tbody>
            {records.map((record) => (
              <tr key={record.session_id} data-session={record.session_id}>
                <td>{record.agent}</td>
                <td className={styles.command} title={shownCommand(record)}>
                  {shownCommand(record) ?? "not kept after a restart of the app"}
                </td>
                <td className={styles.number}>{record.pid ?? "none"}</td>
                <td>
                  <Time at={record.started_at} />
                </td>
                <td>
                  <span className={styles.end}>
                    <Look look={sessionLook(record)} />{" "}
                    {record.exit_code === null ? (record.signal ?? "") : `code ${record.exit_code}`}
                  </span>
                </td>
                <td>{record.gone_at === null ? "no" : <Time at={record.gone_at} />}</td>
                <td className={styles.proof}>{proofWords(record)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

const shownCommand = ({ command }: TerminalRecord) =>
  command === undefined ? undefined : madeVisible(command);
