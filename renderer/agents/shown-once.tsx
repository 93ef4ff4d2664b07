import type { NewToken } from "../../electron/contract/tokens.ts";
import { Callout } from "../ui/callout.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import styles from "./shown-once.module.css";

/** A token that was just made, with what to paste where. It cannot be shown again. */
export function ShownOnce({ created }: { created: NewToken }) {
  return (
    <>
      <Callout tone="warn" title="Shown this once">
        <p>Copy it now: only its hash is kept. Anyone who has it can do what it allows.</p>
      </Callout>
      <Block title="Token" text={created.token} />
      {created.snippets.map(({ title, text }) => (
        <Block key={title} title={title} text={text} />
      ))}
    </>
  );
}

function Block({ title, text }: { title: string; text: string }) {
  return (
    <section aria-label={title}>
      <header className={styles.head}>
        <h3>{title}</h3>
        <CopyButton label={`Copy: ${title}`} word="Copy" look="plain" text={() => text} />
      </header>
      <pre className={styles.text} tabIndex={0} aria-label={`${title}, text`}>
        {text}
      </pre>
    </section>
  );
}
