import { Check } from "lucide-react";
import { useEffect, useRef } from "react";
import { INERT_MS, type Question } from "../../electron/contract/consent.ts";
import { useNow } from "../ui/now.ts";
import styles from "./answer-bar.module.css";
import { countdown, riskWords } from "./risk-words.ts";
import { useInert } from "./use-inert.ts";

/**
 * Cancel, which has the focus, and far from it Approve. Neither does anything until the bar has filled: main takes no
 * answer before that, so that what was typed for another window answers nothing. Escape is Cancel.
 */
export function AnswerBar(props: {
  question: Question;
  sent: boolean;
  onAnswer: (choice: "approve" | "decline") => void;
}) {
  const { question, sent, onAnswer } = props;
  const { inert, round } = useInert(`${question.question_id} ${question.goes_with.length}`);
  const nowMs = useNow();
  const cancel = useRef<HTMLButtonElement>(null);
  useEffect(() => cancel.current?.focus(), []);
  const answer = (choice: "approve" | "decline") => {
    if (!inert && !sent) onAnswer(choice);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // A held key was pressed for something else: it must not click the button that has the focus.
      if (event.repeat && (event.key === "Enter" || event.key === " ")) event.preventDefault();
      if (event.key === "Escape" && !event.repeat) answer("decline");
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  });
  // The clock of the page ticks once a second: it may stand before the moment at which main asked.
  const left = countdown(Date.parse(question.expires_at), Math.max(nowMs, Date.parse(question.asked_at)));
  return (
    <footer className={styles.bar}>
      <button
        ref={cancel}
        type="button"
        className={styles.cancel}
        aria-disabled={inert || sent}
        onClick={() => answer("decline")}
      >
        Cancel
      </button>
      <div className={styles.middle}>
        <span>
          Cancelled by itself in <time className={styles.left}>{left}</time>
        </span>
        {question.waiting > 1 && (
          <span>
            Question {question.position} of {question.waiting}
          </span>
        )}
      </div>
      <button
        type="button"
        className={styles.approve}
        data-tone={riskWords(question).tone}
        aria-disabled={inert || sent}
        onClick={() => answer("approve")}
      >
        {inert && (
          <span
            key={round}
            className={styles.fill}
            style={{ animationDuration: `${INERT_MS}ms` }}
            aria-hidden="true"
          />
        )}
        <Check aria-hidden="true" size={16} />
        Approve
      </button>
    </footer>
  );
}
