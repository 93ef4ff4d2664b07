import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import styles from "./modal.module.css";

/** A dialog over the page: focus goes in and comes back, Escape closes. Not for approvals: those have their own window. */
export function Modal(props: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  closable?: boolean;
}) {
  const closable = props.closable ?? true;
  return (
    <Dialog.Root
      open
      onOpenChange={(open) => {
        if (!open && closable) props.onClose();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <header className={styles.header}>
            <Dialog.Title className={styles.title}>{props.title}</Dialog.Title>
            {closable && (
              <Button
                look="quiet"
                aria-label="Close the dialog"
                icon={<X aria-hidden="true" size={16} />}
                onClick={props.onClose}
              />
            )}
          </header>
          <div className={styles.body}>{props.children}</div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
