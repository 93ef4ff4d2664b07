import { ExternalLink, X } from "lucide-react";
import { useId } from "react";
import { madeVisible } from "../../electron/contract/visible.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import styles from "./link-question.module.css";
import { useFocusWhenAsked } from "./use-focus-when-asked.ts";

/**
 * Asks before a web address of a program's output is opened: it is shown in full, with what cannot be seen made visible, and
 * where it leads is said apart, since the address may begin with another name (`https://a.example@b.example`).
 */
export function LinkQuestion(props: {
  /** How often the keyboard asked, and so gets the answer: Enter opens, Escape leaves. */
  asked: number;
  url: string;
  onOpen: (url: string) => void;
  onClose: () => void;
}) {
  const { asked, url, onOpen, onClose } = props;
  const open = useFocusWhenAsked<HTMLButtonElement>(asked);
  const questionId = useId();
  return (
    <div
      className={styles.bar}
      role="group"
      aria-label="Open this address?"
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
    >
      {/* Read with the button at first, and by itself when the next link takes its place under the same button. What is long
          scrolls, and each begins at its beginning. */}
      <p id={questionId} className={styles.asked} role="status">
        <span key={`open ${url}`} className={styles.question} tabIndex={0}>
          Open <strong>{new URL(url).host}</strong> in your browser?
        </span>{" "}
        <code key={url} className={styles.url} tabIndex={0}>
          {madeVisible(url)}
        </code>
      </p>
      <span className={styles.answers}>
        <CopyButton label="Copy the address" text={() => url} />
        <Button
          ref={open}
          aria-describedby={questionId}
          icon={<ExternalLink aria-hidden="true" size={14} />}
          onClick={() => {
            onOpen(url);
            onClose();
          }}
        >
          Open
        </Button>
        <Button
          look="quiet"
          aria-label="Do not open it"
          icon={<X aria-hidden="true" size={14} />}
          onClick={onClose}
        />
      </span>
    </div>
  );
}
