import { useEffect } from "react";
import { useAppStore } from "../ui/use-app.ts";
import { opensPalette } from "./palette-keys.ts";

/** It may hold what a person typed, or a token that is shown once: going away would lose it. */
const DIALOG = '[role="dialog"], [role="alertdialog"]';
/** An open choice has the keys until it closes. */
const CHOICE = '[role="listbox"]';

/** Opens the list of where to go with its key, wherever the focus is, and closes it with the same. */
export function usePaletteKey(): void {
  const store = useAppStore();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { info, paletteOpen, openPalette } = store.getState();
      const isIn = (what: string) => event.target instanceof Element && event.target.closest(what) !== null;
      const where = { mac: info?.platform === "darwin", inTerminal: isIn(".xterm") };
      if (!opensPalette(event, where)) return;
      event.preventDefault();
      if (paletteOpen) openPalette(false);
      else if (document.querySelector(DIALOG) === null && !isIn(CHOICE)) openPalette(true);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [store]);
}
