import { useState } from "react";
import type { Question } from "../../electron/contract/consent.ts";
import type { ConsentDoor } from "../window.ts";
import { AnswerBar } from "./answer-bar.tsx";
import styles from "./consent-window.module.css";
import { QuestionView } from "./question-view.tsx";
import { useQuestion } from "./use-question.ts";

/** The window in which a person, and nobody else, answers. */
export function ConsentWindow({ door }: { door: ConsentDoor }) {
  const asked = useQuestion(door);
  if (asked.state === "failed") {
    return (
      <main className={styles.blank} role="alert">
        The question could not be read, so nothing can be approved: {asked.reason}
      </main>
    );
  }
  if (asked.state === "loading" || asked.question === null) {
    return (
      <main className={styles.blank}>
        <h1>{asked.state === "loading" ? "" : "There is no question to answer."}</h1>
      </main>
    );
  }
  return <Asking key={asked.question.question_id} question={asked.question} door={door} />;
}

function Asking({ question, door }: { question: Question; door: ConsentDoor }) {
  const [sent, setSent] = useState(false);
  const [refused, setRefused] = useState<string | null>(null);
  const [remember, setRemember] = useState(false);

  async function answer(choice: "approve" | "decline") {
    setSent(true);
    setRefused(null);
    try {
      const { taken, reason } = await door.request("consent:answer", {
        question_id: question.question_id,
        answer: choice,
        remember: choice === "approve" && remember,
      });
      if (!taken) setRefused(reason ?? "it was not taken");
      setSent(taken);
    } catch (error) {
      setRefused(String(error));
      setSent(false);
    }
  }

  return (
    <main className={styles.window} aria-labelledby="question" data-question-id={question.question_id}>
      <QuestionView question={question} />
      {refused !== null && (
        <p className={styles.refused} role="alert">
          Your answer did not count: {refused}.
        </p>
      )}
      {question.may_remember && (
        <label className={styles.remember}>
          <input type="checkbox" checked={remember} onChange={(event) => setRemember(event.target.checked)} />
          <span>
            Remember my approval: do not ask again when <strong>{question.caller.name}</strong> calls{" "}
            <code>{question.tool}</code> on this engine, whatever the arguments. You can take it back on the
            page Approvals.
          </span>
        </label>
      )}
      <AnswerBar question={question} sent={sent} onAnswer={(choice) => void answer(choice)} />
    </main>
  );
}
