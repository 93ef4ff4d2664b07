import { ShieldQuestion } from "lucide-react";
import type { AgentActivity } from "../../electron/contract/ipc.ts";
import { Button } from "../ui/button.tsx";
import { useApp } from "../ui/use-app.ts";
import styles from "./waiting-command.module.css";
import { askingAgents } from "./asking-agents.ts";

/** Says that a command waits for the person's answer, and brings the question forward. Nothing is approved here. */
export function WaitingCommand() {
  const waiting = useApp((state) => state.waitingQuestions);
  const activity = useApp((state): readonly AgentActivity[] => state.activity);
  const show = useApp((state) => state.showQuestion);
  const agents = askingAgents(activity);
  if (waiting === 0 || agents.length === 0) return null;
  return (
    <div className={styles.banner} role="status">
      <ShieldQuestion aria-hidden="true" size={16} />
      <span className={styles.text}>
        {agents.length === 1
          ? `A command of ${agents[0]} waits for your answer.`
          : `Commands of ${agents.join(", ")} wait for your answers.`}{" "}
        Nothing runs before you approve it.
      </span>
      <Button onClick={show}>Show the question</Button>
    </div>
  );
}
