import { X } from "lucide-react";
import { Button } from "./button.tsx";

/** Widens a list to everything in its time window. */
export function ClearFilters(props: { onClear: () => void }) {
  return (
    <Button look="quiet" icon={<X aria-hidden="true" size={14} />} onClick={props.onClear}>
      Clear filters
    </Button>
  );
}
