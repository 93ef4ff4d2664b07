import { Check, CircleAlert, CircleSlash, LoaderCircle, X } from "lucide-react";
import { Button } from "../ui/button.tsx";
import { useApp } from "../ui/use-app.ts";
import styles from "./action-note.module.css";
import { outcomeOf } from "./outcome.ts";

/** What became of the last press here, beside the buttons. */
export function ActionNote({ place }: { place: string }) {
  const state = useApp(({ actions }) => actions[place]);
  const waiting = useApp(({ waitingQuestions }) => waitingQuestions);
  const putAway = useApp((app) => app.putAway);
  const showQuestion = useApp((app) => app.showQuestion);
  if (state === undefined) return <div role="status" />;
  if (state.phase === "under_way") {
    return (
      <div role="status" className={styles.note} data-tone="busy">
        <LoaderCircle aria-hidden="true" size={14} className={styles.turning} />
        <span className={styles.text}>
          {waiting > 0 ? `${state.what}: waiting for your approval` : `${state.what}…`}
        </span>
        {waiting > 0 && <Button onClick={showQuestion}>Show the question</Button>}
      </div>
    );
  }
  const shown = outcomeOf(state);
  const Icon = shown.tone === "good" ? Check : shown.tone === "idle" ? CircleSlash : CircleAlert;
  return (
    <div role="status" className={styles.note} data-tone={shown.tone}>
      <Icon aria-hidden="true" size={14} />
      <span className={styles.text} data-selectable>
        <strong>{shown.title}</strong>
        {shown.detail !== "" && <> {shown.detail}</>}
      </span>
      <Button
        look="quiet"
        aria-label="Put this note away"
        icon={<X aria-hidden="true" size={14} />}
        onClick={() => putAway(place)}
      />
    </div>
  );
}
