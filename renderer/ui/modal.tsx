import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import styles from "./modal.module.css";

/**
 * A dialog over the page: focus goes in and comes back, Escape closes. What it holds scrolls, its title and its footer
 * stay. Not for approvals: those have their own window.
 */
export function Modal(props: {
  title: string;
  onClose: () => void;
  children: ReactNode;
  closable?: boolean;
  /** Its buttons, which are in sight however small the window is. */
  footer?: ReactNode;
  /** Makes it a form: Enter in a field and a submit button in the footer do this. */
  onSubmit?: () => void;
}) {
  const closable = props.closable ?? true;
  const { onSubmit } = props;
  const inner = (
    <>
      <div className={styles.body}>{props.children}</div>
      {props.footer !== undefined && <footer className={styles.footer}>{props.footer}</footer>}
    </>
  );
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
          {onSubmit === undefined ? (
            inner
          ) : (
            <form
              className={styles.form}
              noValidate
              onSubmit={(event) => {
                event.preventDefault();
                onSubmit();
              }}
            >
              {inner}
            </form>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Buttons in a row at the end. */
export function ModalButtons({ children }: { children: ReactNode }) {
  return <div className={styles.buttons}>{children}</div>;
}
