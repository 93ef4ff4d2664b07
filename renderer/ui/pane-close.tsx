import { ArrowLeft, X } from "lucide-react";
import { Button } from "./button.tsx";
import { useWide } from "./use-wide.ts";

/** The way out of a detail: beside its list it closes, in its list's place it goes back. */
export function PaneClose(props: { what: string; list: string; onClose: () => void }) {
  if (!useWide()) {
    return (
      <Button look="quiet" icon={<ArrowLeft aria-hidden="true" size={16} />} onClick={props.onClose}>
        {props.list}
      </Button>
    );
  }
  return (
    <Button
      look="quiet"
      aria-label={`Close the ${props.what}`}
      title="Close"
      icon={<X aria-hidden="true" size={16} />}
      onClick={props.onClose}
    />
  );
}
