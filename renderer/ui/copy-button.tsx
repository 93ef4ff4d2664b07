import { Check, Copy, X } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, type ButtonLook } from "./button.tsx";
import { copyText } from "./copy.ts";

const SHOWN_MS = 1_500;
type Outcome = "copied" | "failed" | null;

/** Copies what `text` gives when it is pressed, and says whether that worked. */
export function CopyButton(props: { text: () => string; label: string; look?: ButtonLook; word?: string }) {
  const [outcome, setOutcome] = useState<Outcome>(null);
  useEffect(() => {
    const timer = outcome === null ? undefined : setTimeout(() => setOutcome(null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const Icon = outcome === "copied" ? Check : outcome === "failed" ? X : Copy;
  const word = outcome === "copied" ? "Copied" : outcome === "failed" ? "Could not copy" : props.word;
  return (
    <Button
      look={props.look ?? "quiet"}
      aria-label={outcome === null ? props.label : word}
      title={props.label}
      icon={<Icon aria-hidden="true" size={14} />}
      onClick={() => void copyText(props.text()).then((copied) => setOutcome(copied ? "copied" : "failed"))}
    >
      {props.word === undefined ? undefined : word}
    </Button>
  );
}
