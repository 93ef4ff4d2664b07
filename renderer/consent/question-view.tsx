import { Info, ShieldAlert, TriangleAlert } from "lucide-react";
import { useEffect, useRef, useState, type RefObject } from "react";
import type { Question } from "../../electron/contract/consent.ts";
import { riskWords } from "./risk-words.ts";
import styles from "./question-view.module.css";
import { ShownValues } from "./shown-values.tsx";

const ICONS = { bad: TriangleAlert, warn: ShieldAlert, info: Info };

/** The question in full: what would happen, who asks, with which words, and what is there now. */
export function QuestionView({ question }: { question: Question }) {
  const { word, tone } = riskWords(question);
  const Icon = ICONS[tone];
  const body = useRef<HTMLElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const below = useBelow(body, end);
  const { caller, engine } = question;
  return (
    <>
      <header className={styles.header} data-tone={tone}>
        <p className={styles.risk}>
          <Icon aria-hidden="true" size={18} />
          {word}
        </p>
        <h1 id="question" className={styles.title}>
          {question.title}
        </h1>
        <p className={styles.consequence}>{question.consequence}</p>
        {question.asked_again && (
          <p className={styles.again}>It changed since you approved it, so you are asked again.</p>
        )}
      </header>
      <section ref={body} className={styles.body} tabIndex={0} aria-label="The question in full">
        <dl className={styles.facts}>
          <dt>Asked by</dt>
          <dd>
            <strong className={styles.caller}>{caller.name}</strong>
            {caller.claim !== undefined && (
              <span className={styles.claim}>
                says of itself: <q>{caller.claim}</q> (not checked)
              </span>
            )}
            {caller.caution !== undefined && <span className={styles.caution}>{caller.caution}</span>}
          </dd>
          {engine !== undefined && (
            <>
              <dt>Engine</dt>
              <dd>
                <strong>
                  <bdi>{engine.name}</bdi>
                </strong>{" "}
                <code>{engine.url}</code>
                {engine.kind === "embedded" && <span className={styles.soft}> inside this app</span>}
              </dd>
            </>
          )}
          {question.tool !== undefined && (
            <>
              <dt>Tool</dt>
              <dd>
                <code>{question.tool}</code>
              </dd>
            </>
          )}
        </dl>
        {question.kind === "command" ? (
          <>
            <ShownValues title="Exactly this" values={question.target} zone={question.time_zone} />
            <ShownValues title="With these as well" values={question.arguments} zone={question.time_zone} />
            <ShownValues
              title="These wait, and run with it when you approve"
              values={question.goes_with}
              zone={question.time_zone}
            />
          </>
        ) : (
          <>
            <ShownValues
              title="With exactly these arguments"
              values={question.arguments}
              zone={question.time_zone}
              {...(question.kind === "tool" ? { none: "None." } : {})}
            />
            <ShownValues
              title="What it acts on, as it is now"
              values={question.target}
              zone={question.time_zone}
            />
          </>
        )}
        <Lines title="What goes with it" lines={question.effects} />
        <Lines title="What it does not reach" lines={question.not_reached} />
        <div ref={end} className={styles.end} />
      </section>
      {below && <p className={styles.below}>There is more below: scroll to read all of it</p>}
    </>
  );
}

/** Whether the end of a scrolled box is out of sight. */
function useBelow(box: RefObject<HTMLElement | null>, end: RefObject<HTMLElement | null>): boolean {
  const [below, setBelow] = useState(false);
  useEffect(() => {
    if (box.current === null || end.current === null) return undefined;
    const observer = new IntersectionObserver(([entry]) => setBelow(entry?.isIntersecting === false), {
      root: box.current,
    });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [box, end]);
  return below;
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <section aria-label={title}>
      <h2 className={styles.heading}>{title}</h2>
      <ul className={styles.lines}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  );
}
