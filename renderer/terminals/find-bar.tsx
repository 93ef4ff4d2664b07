import type { SearchAddon } from "@xterm/addon-search";
import { ArrowDown, ArrowUp, X } from "lucide-react";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import styles from "./find-bar.module.css";
import { useFocusWhenAsked } from "./use-focus-when-asked.ts";

/** Finds text in what the terminal keeps. Enter goes up, towards older output; Shift+Enter down. */
export function FindBar(props: {
  asked: number;
  search: () => SearchAddon | undefined;
  onClose: () => void;
}) {
  const { asked, search, onClose } = props;
  const field = useFocusWhenAsked<HTMLInputElement>(asked);
  const [text, setText] = useState("");
  const [missed, setMissed] = useState(false);

  function find(direction: "older" | "newer", wanted = text) {
    if (wanted === "") return setMissed(false);
    const addon = search();
    const found = direction === "older" ? addon?.findPrevious(wanted) : addon?.findNext(wanted);
    setMissed(found !== true);
  }

  return (
    <div className={styles.bar} role="search">
      <input
        ref={field}
        className={styles.input}
        aria-label="Find in the output"
        placeholder="Find in the output"
        value={text}
        maxLength={1024}
        spellCheck={false}
        onChange={(event) => {
          setText(event.target.value);
          find("older", event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") find(event.shiftKey ? "newer" : "older");
          if (event.key === "Escape") onClose();
        }}
      />
      <span className={styles.missed} role="status">
        {missed ? "Not found" : ""}
      </span>
      <Button
        look="quiet"
        aria-label="Find older"
        icon={<ArrowUp aria-hidden="true" size={14} />}
        onClick={() => find("older")}
      />
      <Button
        look="quiet"
        aria-label="Find newer"
        icon={<ArrowDown aria-hidden="true" size={14} />}
        onClick={() => find("newer")}
      />
      <Button
        look="quiet"
        aria-label="Close find"
        icon={<X aria-hidden="true" size={14} />}
        onClick={onClose}
      />
    </div>
  );
}
