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
  useEffect(() => {
    // The value changed elsewhere: a link, or "clear filters".
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text === told.current) return;
      told.current = text;
      onChange(text);
    }, SETTLES_MS);
    return () => clearTimeout(timer);
  }, [text, onChange]);
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
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") setText("");
        }}
      />
    </label>
  );
}
