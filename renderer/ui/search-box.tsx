import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import styles from "./search-box.module.css";

const SETTLES_MS = 250;

/** A field that tells what was typed once typing pauses. Escape empties it. */
export function SearchBox(props: {
  label: string;
  value: string;
  placeholder: string;
  onChange: (text: string) => void;
}) {
  const { value, onChange } = props;
  const [text, setText] = useState(value);
  const told = useRef(value);
  const tell = useRef(onChange);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    // Other filters may change between a key and the pause after it.
    tell.current = onChange;
  });
  useEffect(() => {
    // The value changed elsewhere: a link, or "clear filters".
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);

  function type(next: string) {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      told.current = next;
      tell.current(next);
    }, SETTLES_MS);
  }

  return (
    <label className={styles.box}>
      <Search aria-hidden="true" size={14} />
      <input
        type="search"
        aria-label={props.label}
        placeholder={props.placeholder}
        value={text}
        maxLength={256}
        spellCheck={false}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") type("");
        }}
      />
    </label>
  );
}
