import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog } from "@base-ui/react/dialog";
import { Search, Server, SquareTerminal, Parentheses, SunMoon, type LucideIcon } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { THEMES } from "../settings/choices.tsx";
import { entryOf, GROUPS } from "../shell/pages.ts";
import { goTo } from "../store/navigation.ts";
import { dataOf } from "../store/reading.ts";
import { formatRoute, parseRoute } from "../store/route.ts";
import { KeyStrip } from "../ui/key-strip.tsx";
import { useApp, useAppStore } from "../ui/use-app.ts";
import { commandsFor, commandsOf, type Command } from "./commands.ts";
import { TYPED_MAX_CHARS } from "./find-commands.ts";
import styles from "./palette.module.css";

const PAGES = GROUPS.flatMap(({ pages }) => pages);
const THEME_NAMES = THEMES.map(({ value }) => value);
const NOTHING: readonly never[] = [];

/** Anywhere by keyboard: what is typed is found among pages, terminals, engines, functions and themes. */
export function Palette() {
  const store = useAppStore();
  const [typed, setTyped] = useState("");
  const commands = commandsFor(typed, useCommands(), useApp((state) => state.connectionId) !== null);
  /** What was chosen leads somewhere, so the focus does not go back to where it was. */
  const leaves = useRef(false);
  const close = () => store.getState().openPalette(false);

  function choose({ action }: Command) {
    const { switchEngine, changeSettings } = store.getState();
    leaves.current = action.type !== "theme";
    // At once: nothing behind an open dialog takes the focus.
    flushSync(close);
    if (leaves.current) document.getElementById("main")?.focus();
    if (action.type === "go") goTo(action.path);
    else if (action.type === "theme") void changeSettings({ theme: action.theme });
    else
      void switchEngine(action.id).then(() => {
        // Why it did not go there is said where the engines are.
        if (store.getState().switchProblem !== null) goTo(formatRoute("settings"));
      });
  }

  return (
    <Dialog.Root
      open
      onOpenChange={(open) => {
        if (!open) close();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup} aria-label="Go to" finalFocus={() => !leaves.current}>
          <Autocomplete.Root
            open
            inline
            // What is shown is found and ranked here.
            mode="none"
            items={commands}
            itemToStringValue={({ title }) => title}
            value={typed}
            onValueChange={(text, { reason }) => {
              if (reason !== "item-press") setTyped(text);
            }}
            autoHighlight="always"
            keepHighlight
          >
            <label className={styles.field}>
              <Search aria-hidden="true" size={16} />
              <Autocomplete.Input
                aria-label="Where to go"
                placeholder="A page, terminal, engine or function, or runs to find"
                maxLength={TYPED_MAX_CHARS}
                spellCheck={false}
              />
            </label>
            <Autocomplete.Empty className={styles.empty}>
              {commands.length === 0 && "Nothing has this name."}
            </Autocomplete.Empty>
            <Autocomplete.List className={styles.list}>
              {(command: Command) => (
                <Autocomplete.Item
                  key={command.key}
                  value={command}
                  className={styles.item}
                  onClick={() => choose(command)}
                >
                  <Sign command={command} />
                  <span className={styles.title}>{command.title}</span>
                  <span className={styles.aside}>{command.aside}</span>
                  <span className={styles.kind}>{command.kind}</span>
                </Autocomplete.Item>
              )}
            </Autocomplete.List>
            <KeyStrip aside>
              <span>
                <kbd>Up Down</kbd> choose
              </span>
              <span>
                <kbd>Enter</kbd> go
              </span>
              <span>
                <kbd>Esc</kbd> back
              </span>
            </KeyStrip>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Everything there is to go to, as the window knows it now. Functions are read while the list is open. */
function useCommands(): readonly Command[] {
  const connectionId = useApp((state) => state.connectionId);
  const readFunctions = useApp((state) => state.readPaletteFunctions);
  useEffect(() => (connectionId === null ? undefined : readFunctions()), [connectionId, readFunctions]);
  const terminals = useApp((state) => dataOf(state.terminals)) ?? NOTHING;
  const engines = useApp((state) => dataOf(state.engines)) ?? NOTHING;
  const functions = useApp((state) => dataOf(state.paletteFunctions)?.rows) ?? NOTHING;
  const theme = useApp((state) => state.settings.theme);
  return useMemo(
    () =>
      commandsOf({
        pages: PAGES,
        terminals,
        engines,
        functionIds: functions.map(({ id }) => id),
        themes: THEME_NAMES,
        theme,
      }),
    [terminals, engines, functions, theme],
  );
}

const SIGNS: Readonly<Record<Exclude<Command["kind"], "Page">, LucideIcon>> = {
  Terminal: SquareTerminal,
  Engine: Server,
  Function: Parentheses,
  Theme: SunMoon,
  Runs: Search,
};

function Sign({ command: { kind, action } }: { command: Command }) {
  const Icon =
    kind !== "Page"
      ? SIGNS[kind]
      : action.type === "go"
        ? entryOf(parseRoute(action.path).page)?.icon
        : undefined;
  return Icon === undefined ? null : <Icon aria-hidden="true" size={16} />;
}
