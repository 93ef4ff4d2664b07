import { RotateCw } from "lucide-react";
import { currentOf, isAway } from "../store/apply-connections.ts";
import { dataOf } from "../store/reading.ts";
import { Button } from "../ui/button.tsx";
import { asSentence } from "../ui/as-sentence.ts";
import { useApp } from "../ui/use-app.ts";
import { connectionWords, keyAdvice } from "./connection-words.ts";
import styles from "./engine-notice.module.css";

/** What is wrong with the engine, in its own words, and the way to start it again. */
export function EngineNotice() {
  const connection = useApp(currentOf);
  const restart = useApp((state) => state.restartConnection);
  const problem = useApp((state) => state.restartProblem);
  const engines = useApp((state) => state.engines);
  if (connection === undefined || !isAway(connection)) return null;
  const saved = dataOf(engines)?.some((engine) => engine.saved && engine.id === connection.id) ?? false;
  const advice = keyAdvice(connection, saved);
  return (
    <div className={styles.notice} role="alert">
      <div className={styles.text}>
        <strong>
          {connection.name}: {connectionWords(connection).word.toLowerCase()}
        </strong>
        {connection.problem !== undefined && <Problem text={connection.problem} />}
        {advice !== null && <p>{advice}</p>}
        {problem !== null && <p>It could not be restarted: {problem}</p>}
      </div>
      <Button icon={<RotateCw aria-hidden="true" size={14} />} onClick={() => void restart()}>
        {connection.kind === "embedded" ? "Restart engine" : "Connect again"}
      </Button>
    </div>
  );
}

/** A sentence, and below it what a program that died wrote, line by line as it wrote it. */
function Problem({ text }: { text: string }) {
  const [sentence = "", ...written] = text.split("\n");
  return (
    <>
      <p className={styles.problem} data-selectable>
        {asSentence(sentence)}
      </p>
      {written.length > 0 && <pre className={styles.written}>{written.join("\n")}</pre>}
    </>
  );
}
