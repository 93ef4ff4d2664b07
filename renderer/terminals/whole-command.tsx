import { useEffect, useState } from "react";
import type { TerminalSession } from "../../bridge/contract/api.ts";
import { madeVisible } from "../../electron/contract/visible.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Modal } from "../ui/modal.tsx";
import { useApp } from "../ui/use-app.ts";
import { CommandText } from "./command-text.tsx";
import styles from "./whole-command.module.css";

type RunBy = Pick<TerminalSession, "session_id" | "shell" | "cwd">;

/** A command to its last line, of a terminal that is still there. */
export function WholeCommand({ session, onClose }: { session: RunBy; onClose: () => void }) {
  const read = useApp((state) => state.readCommand);
  const [command, setCommand] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let wanted = true;
    void read(session.session_id).then((answer) => {
      if (!wanted) return;
      if (answer.ok) setCommand(answer.command);
      else setProblem(answer.problem);
    });
    return () => {
      wanted = false;
    };
  }, [read, session.session_id]);
  return (
    <Modal title="The whole command" onClose={onClose}>
      {problem !== null && <p role="alert">{problem}</p>}
      {command === null && problem === null && <p role="status">It is being read.</p>}
      {command !== null && (
        <>
          <p className={styles.facts}>
            {command.length.toLocaleString("en")} characters, run by {madeVisible(session.shell)} in{" "}
            {madeVisible(session.cwd)}
            <CopyButton label="Copy the command" text={() => command} />
          </p>
          <CommandText command={command} />
        </>
      )}
    </Modal>
  );
}
