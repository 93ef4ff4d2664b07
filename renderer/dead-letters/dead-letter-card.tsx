import { useMemo, useState } from "react";
import type { DeadLetter } from "../../mcp/contract/domain.ts";
import { JsonView } from "../json/json-view.tsx";
import { hrefTo } from "../store/route.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Fold } from "../ui/fold.tsx";
import { Time } from "../ui/time.tsx";
import styles from "./dead-letter-card.module.css";
import { decodePayload } from "./payload.ts";

/** One dead letter: why it died, what it concerns, and its bytes behind a fold. */
export function DeadLetterCard({ letter }: { letter: DeadLetter }) {
  const [open, setOpen] = useState(false);
  return (
    <article className={styles.card} data-dead-letter-id={letter.id} aria-label={`Dead letter ${letter.id}`}>
      <p className={styles.error}>{letter.error}</p>
      <p className={styles.notes}>
        <span>
          source <code>{letter.source}</code>
        </span>
        {letter.function_id !== undefined && (
          <a href={hrefTo("runs", null, { function: letter.function_id, window: "all" })}>
            {letter.function_id}
          </a>
        )}
        {letter.run_id !== undefined && <a href={hrefTo("runs", letter.run_id)}>{letter.run_id}</a>}
        <Time at={letter.created_at} />
        <Fold open={open} onToggle={setOpen}>
          Payload
        </Fold>
      </p>
      {open && <PayloadView letter={letter} />}
    </article>
  );
}

function PayloadView({ letter }: { letter: DeadLetter }) {
  const payload = useMemo(() => decodePayload(letter.payload), [letter.payload]);
  if (payload.kind === "json") return <JsonView value={payload.value} label={`payload of ${letter.id}`} />;
  return (
    <div className={styles.raw}>
      <p className={styles.kind}>
        {payload.kind === "text" && `Text, ${payload.bytes.toLocaleString("en")} bytes`}
        {payload.kind === "hex" &&
          `No text: ${payload.bytes.toLocaleString("en")} bytes in hexadecimal${payload.cut ? ", the first 2,048" : ""}`}
        {payload.kind === "undecodable" && "Not base64: shown as it came"}
        <CopyButton label="Copy the payload as base64" word="Copy as base64" text={() => letter.payload} />
      </p>
      <pre className={styles.text} tabIndex={0} aria-label={`Payload of ${letter.id}`}>
        {payload.text}
      </pre>
    </div>
  );
}
