import type { RememberedAnswer } from "../../electron/contract/tokens.ts";
import { dataOf } from "../store/reading.ts";
import { Button } from "../ui/button.tsx";
import { Callout } from "../ui/callout.tsx";
import { Empty, Failed, Loading } from "../ui/frame.tsx";
import { Page } from "../ui/page.tsx";
import { Section, Sections } from "../ui/sections.tsx";
import { Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import styles from "./approvals-page.module.css";

/** What waits for the person now, and what they approved once and for all. */
export function ApprovalsPage() {
  const remembered = useApp((state) => state.remembered);
  const problem = useApp((state) => state.approvalsProblem);
  const list = dataOf(remembered);
  return (
    <Page
      title="Approvals"
      note={list === undefined ? undefined : list.length === 1 ? "1 remembered" : `${list.length} remembered`}
    >
      <Sections label="Approvals">
        <Waiting />
        <Section title="Remembered approvals">
          <p className={styles.about}>
            These tools run without a question for one token on one engine. What cannot be undone is never
            remembered.
          </p>
          {problem !== null && <Callout tone="bad" title={problem} />}
          {remembered.phase === "loading" && <Loading what="the remembered approvals" />}
          {remembered.phase === "failed" && (
            <Failed what="the remembered approvals" problem={remembered.problem} />
          )}
          {list !== undefined && list.length === 0 && (
            <Empty title="You are asked each time">
              <p>When a question offers it, you can have your approval remembered.</p>
            </Empty>
          )}
          {list !== undefined && list.length > 0 && (
            <ul className={styles.list}>
              {list.map((answer) => (
                <Row key={answer.id} answer={answer} />
              ))}
            </ul>
          )}
        </Section>
      </Sections>
    </Page>
  );
}

function Waiting() {
  const waiting = useApp((state) => state.waitingQuestions);
  const show = useApp((state) => state.showQuestion);
  return (
    <Section title="Questions that wait">
      {waiting === 0 ? (
        <p className={styles.about}>None. A question opens in a window of its own.</p>
      ) : (
        <p className={styles.waiting}>
          {waiting === 1 ? "1 question waits for you." : `${waiting} questions wait for you.`}{" "}
          <Button look="primary" onClick={show}>
            Show it
          </Button>
        </p>
      )}
    </Section>
  );
}

function Row({ answer }: { answer: RememberedAnswer }) {
  const forget = useApp((state) => state.forgetRemembered);
  return (
    <li className={styles.row} data-remembered-tool={answer.tool}>
      <div className={styles.what}>
        <p>
          <strong>{answer.caller}</strong> may call <code>{answer.tool}</code>
        </p>
        <p className={styles.about}>
          on {answer.engine === "embedded" ? "the embedded engine" : <code>{answer.engine}</code>}, since{" "}
          <Time at={answer.since} />
        </p>
      </div>
      <Button
        look="danger"
        aria-label={`Ask again when ${answer.caller} calls ${answer.tool}`}
        onClick={() => void forget(answer.id)}
      >
        Ask again
      </Button>
    </li>
  );
}
