import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import styles from "./button.module.css";

export type ButtonLook = "plain" | "primary" | "danger" | "quiet";

/**
 * A button. With `refused` it can be reached and says why it does nothing now: a disabled button would hide the reason
 * from the keyboard.
 */
export function Button({
  look = "plain",
  icon,
  refused,
  onClick,
  children,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  ref?: Ref<HTMLButtonElement>;
  look?: ButtonLook;
  icon?: ReactNode;
  refused?: string | undefined;
}) {
  return (
    <button
      type="button"
      {...rest}
      className={styles.button}
      data-look={look}
      data-icon-only={children === undefined}
      aria-disabled={refused !== undefined || rest.disabled}
      title={refused ?? rest.title}
      onClick={refused === undefined ? onClick : undefined}
    >
      {icon}
      {children}
    </button>
  );
}
