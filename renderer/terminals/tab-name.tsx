import { useState } from "react";
import { TERMINAL_LIMITS } from "../../bridge/contract/api.ts";
import { Button } from "../ui/button.tsx";
import styles from "./tab-name.module.css";
import { useFocusWhenAsked } from "./use-focus-when-asked.ts";

/** Names a tab: Enter keeps the name, Escape leaves it as it was, an empty one takes it away. */
export function TabName(props: {
  asked: number;
  name: string;
  onName: (name: string) => void;
  onClose: () => void;
}) {
  const field = useFocusWhenAsked<HTMLInputElement>(props.asked);
  const [name, setName] = useState(props.name);
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        props.onName(name);
        props.onClose();
      }}
    >
      <input
        ref={field}
        className={styles.input}
        aria-label="Name of this tab"
        placeholder="Name of this tab"
        value={name}
        maxLength={TERMINAL_LIMITS.nameChars}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") props.onClose();
        }}
      />
      <Button type="submit">Keep</Button>
      <Button look="quiet" onClick={props.onClose}>
        Leave it
      </Button>
    </form>
  );
}
