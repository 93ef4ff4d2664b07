import { useId, type ReactNode } from "react";
import styles from "./field.module.css";

/** A labelled input with what it is for and what is wrong with it, all three tied together. */
export function Field(props: {
  label: string;
  hint?: ReactNode;
  problem?: string | null;
  children: (ids: { id: string; describedBy: string; invalid: boolean }) => ReactNode;
}) {
  const id = useId();
  const problem = props.problem ?? null;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {props.label}
      </label>
      {props.children({ id, describedBy: `${id}-about`, invalid: problem !== null })}
      <p id={`${id}-about`} className={problem === null ? styles.hint : styles.problem} aria-live="polite">
        {problem ?? props.hint}
      </p>
    </div>
  );
}

/** React keeps the input that had the focus last, long after it is gone from the page: a secret must not stay in it. */
const emptiedAtEnd = (input: HTMLInputElement) => () => {
  input.value = "";
  input.removeAttribute("value");
};

/** One line of text. */
export function TextInput(props: {
  ids: { id: string; describedBy: string; invalid: boolean };
  value: string;
  onChange: (text: string) => void;
  mono?: boolean;
  /** Shown as dots. */
  secret?: boolean;
  placeholder?: string;
  maxLength: number;
}) {
  return (
    <input
      ref={props.secret === true ? emptiedAtEnd : null}
      id={props.ids.id}
      type={props.secret === true ? "password" : "text"}
      className={styles.input}
      data-mono={props.mono}
      aria-describedby={props.ids.describedBy}
      aria-invalid={props.ids.invalid}
      value={props.value}
      placeholder={props.placeholder}
      maxLength={props.maxLength}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => props.onChange(event.target.value)}
    />
  );
}

/** Several lines of code. */
export function CodeInput(props: {
  ids: { id: string; describedBy: string; invalid: boolean };
  value: string;
  onChange: (text: string) => void;
  rows: number;
  maxLength: number;
}) {
  return (
    <textarea
      id={props.ids.id}
      className={styles.area}
      aria-describedby={props.ids.describedBy}
      aria-invalid={props.ids.invalid}
      value={props.value}
      rows={props.rows}
      maxLength={props.maxLength}
      spellCheck={false}
      onChange={(event) => props.onChange(event.target.value)}
    />
  );
}
