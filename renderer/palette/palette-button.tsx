import { Search } from "lucide-react";
import { Button } from "../ui/button.tsx";
import { useApp } from "../ui/use-app.ts";
import styles from "./palette-button.module.css";

/** Opens the list of where to go, and tells its key. */
export function PaletteButton() {
  const open = useApp((state) => state.openPalette);
  const mac = useApp((state) => state.info?.platform === "darwin");
  const keys = mac ? "Cmd K" : "Ctrl K";
  // Cmd is no shell's, so on macOS it is the same key in a terminal.
  const told = mac ? "Cmd+K" : "Ctrl+K; in a terminal Ctrl+Shift+P";
  return (
    <Button
      look="quiet"
      icon={<Search aria-hidden="true" size={14} />}
      title={`Go to a page, terminal, engine or function (${told})`}
      aria-haspopup="dialog"
      aria-keyshortcuts={mac ? "Meta+K" : "Control+K"}
      onClick={() => open(true)}
    >
      <span className="visually-hidden">Go to </span>
      <kbd className={styles.keys}>{keys}</kbd>
    </Button>
  );
}
