import { ExternalLink, X } from "lucide-react";
import { madeVisible } from "../../electron/contract/visible.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import styles from "./link-question.module.css";

/**
 * Asks before a web address of a program's output is opened: it is shown in full, with what cannot be seen made visible, and
 * where it leads is said apart, since the address may begin with another name (`https://a.example@b.example`).
 */
export function LinkQuestion(props: { url: string; onOpen: () => void; onClose: () => void }) {
  const { url, onOpen, onClose } = props;
  return (
    <div className={styles.bar} role="group" aria-label="Open this address?">
      <span className={styles.question}>
        Open <strong>{new URL(url).host}</strong> in your browser?
      </span>
      <code className={styles.url}>{madeVisible(url)}</code>
      <CopyButton label="Copy the address" text={() => url} />
      <Button
        icon={<ExternalLink aria-hidden="true" size={14} />}
        onClick={() => {
          onOpen();
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
    </div>
  );
}
