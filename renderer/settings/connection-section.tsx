import { Switch } from "@base-ui/react/switch";
import { useEffect, useRef } from "react";
import { AskingNote, RefusalNote } from "../actions/asking-note.tsx";
import { connectionWords, writeWords } from "../shell/connection-words.ts";
import { currentOf } from "../store/apply-connections.ts";
import { Facts } from "../ui/facts.tsx";
import { Section } from "../ui/sections.tsx";
import { Time } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import styles from "./connection-section.module.css";

/** Which engine it is, and the two switches that decide who may change anything in it. */
export function ConnectionSection() {
  const connection = useApp(currentOf);
  const stopped = useApp((state) => state.panic.stopped);
  if (connection === undefined) return null;
  return (
    <Section title="Connection">
      <Facts
        facts={[
          { name: "Name", value: connection.name },
          { name: "Engine", value: connection.kind === "embedded" ? "inside this app" : "outside this app" },
          { name: "Address", value: <code>{connection.url}</code> },
          { name: "State", value: connectionWords(connection).word },
          { name: "Since", value: <Time at={connection.since} /> },
          connection.engine_version === undefined
            ? null
            : { name: "Version", value: connection.engine_version },
        ]}
      />
      <WriteSwitch
        who="person"
        on={connection.person_may_write}
        label="You may change things"
        about="Emit events, resume and cancel runs, delete what is over."
      />
      <WriteSwitch
        who="agents"
        on={connection.agents_may_write}
        label="Agents may change things"
        about="Only agents whose token has the permission to write. What cannot be taken back still asks you."
      />
      {stopped && <p className={styles.note}>{writeWords(connection, stopped).full}</p>}
    </Section>
  );
}

function WriteSwitch(props: { who: "person" | "agents"; on: boolean; label: string; about: string }) {
  const set = useApp((state) => state.setWrites);
  const busy = useApp((state) => state.writesUnderWay !== null);
  return (
    <div>
      <label className={styles.switch}>
        <Switch.Root
          className={styles.track}
          checked={props.on}
          disabled={busy}
          onCheckedChange={(allowed) => void set(props.who, allowed)}
        >
          <Switch.Thumb className={styles.thumb} />
        </Switch.Root>
        <span>
          <strong>{props.label}</strong>
          <span className={styles.about}>{props.about}</span>
        </span>
      </label>
      <WritesNote who={props.who} />
    </div>
  );
}

/** What becomes of the change, under the switch that was pressed, and brought into sight where that is at the window's edge. */
function WritesNote({ who }: { who: "person" | "agents" }) {
  const asking = useApp((state) => state.writesUnderWay === who && state.waitingQuestions > 0);
  const problem = useApp((state) => state.writesProblem);
  const error = problem?.who === who ? problem.error : null;
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (asking || error !== null) note.current?.scrollIntoView({ block: "nearest" });
  }, [asking, error]);
  return (
    <div ref={note} className={styles.became}>
      <AskingNote asking={asking}>
        <RefusalNote what="Change who may write" error={error} />
      </AskingNote>
    </div>
  );
}
