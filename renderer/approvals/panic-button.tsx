import { OctagonX } from "lucide-react";
import { PANIC_SHORTCUT } from "../../electron/contract/ipc.ts";
import { Button } from "../ui/button.tsx";
import { useApp } from "../ui/use-app.ts";

/** The shortcut as keyboards name its keys. */
export const PANIC_KEYS = PANIC_SHORTCUT.replace("CommandOrControl", "Ctrl or Cmd");

/** One press stops everything that agents do. It asks nothing: lifting it does. */
export function PanicButton() {
  const stopped = useApp((state) => state.panic.stopped);
  const stop = useApp((state) => state.stopEverything);
  const lost = useApp((state) => state.shortcutLost === true);
  const shortcut = lost ? `only here: another program has ${PANIC_KEYS}` : `${PANIC_KEYS}, wherever you are`;
  return (
    <Button
      look="danger"
      icon={<OctagonX aria-hidden="true" size={14} />}
      refused={stopped ? "Everything is stopped already" : undefined}
      title={`Ends every terminal, refuses every question, and lets agents only read (${shortcut})`}
      onClick={() => void stop()}
    >
      Stop everything
    </Button>
  );
}
