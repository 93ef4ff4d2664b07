import { ExternalLink, X } from "lucide-react";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import styles from "./link-question.module.css";

/** Asks before a web address of a program's output is opened: it is shown in full, whatever the output called it. */
export function LinkQuestion(props: { url: string; onOpen: () => void; onClose: () => void }) {
  const { url, onOpen, onClose } = props;
  return (
    <div className={styles.bar} role="group" aria-label="Open this address?">
      <span>Open in your browser?</span>
      <code className={styles.url}>{url}</code>
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
