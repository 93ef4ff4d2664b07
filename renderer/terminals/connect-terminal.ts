import type { ToTab } from "../../bridge/contract/port.ts";
import { refusedNote, tooLongNote } from "./refused-note.ts";
import { createAckCounter } from "./ack-counter.ts";
import type { TerminalParts } from "./create-terminal.ts";
import { drawSparingly } from "./drawing.ts";
import { createFeed } from "./feed.ts";
import { keepSelection } from "./keep-selection.ts";
import type { TerminalPort } from "./terminal-port.ts";
import { watchTyping } from "./xterm-parts.ts";

export type TerminalLink = {
  /** Tells the bridge whether anybody looks: a hidden tab is sent no output. */
  show: (visible: boolean) => void;
  /** Fits the terminal to its box, and tells the session its new size. */
  fit: () => void;
  close: () => void;
};

/**
 * Ties a terminal that is open on the page to its session: output in, keys and size out, each char acknowledged once it is
 * parsed.
 */
export function connectTerminal(options: {
  parts: TerminalParts;
  attach: (on: { message: (message: ToTab) => void; closed: (reason: string) => void }) => TerminalPort;
  onClosed: (reason: string) => void;
  /** Nothing of what was typed or pasted was taken. The sentence says so, and why. */
  onRefused: (sentence: string) => void;
  /** A piece of what was printed before somebody looked is in the terminal now. */
  onReplayed?: () => void;
  /** What is in the terminal from here on does not begin where it began. */
  onCut?: () => void;
}): TerminalLink {
  const { terminal, fit } = options.parts;
  const feed = createFeed(terminal);
  const drawing = drawSparingly(terminal, () => feed.isBehind);
  const acknowledge = { replay: createAckCounter(), live: createAckCounter() };
  // A replay holds the questions that programs once asked the terminal; it must not answer them into the shell now. What was
  // shown before it and is not parsed yet must.
  let replaying = false;
  const typing = watchTyping(terminal);
  let closed = false;

  const port = options.attach({
    closed: options.onClosed,
    message(message) {
      if (closed) return;
      if (message.type === "refused") {
        options.onRefused(refusedNote(message.chars));
        return;
      }
      const { chars, replay, dropped_bytes } = message;
      if (dropped_bytes !== undefined) {
        feed.between(() => {
          terminal.reset();
          options.onCut?.();
        });
        feed.write(
          `\u001b[2m[${dropped_bytes.toLocaleString("en")} earlier bytes are no longer kept]\u001b[0m\r\n`,
        );
      }
      feed.between(() => {
        replaying = replay;
      });
      feed.write(chars, () => {
        replaying = false;
        if (replay) options.onReplayed?.();
        const parsed = acknowledge[replay ? "replay" : "live"](chars.length);
        if (parsed > 0) port.send({ type: "ack", chars: parsed, replay });
      });
    },
  });

  const input = terminal.onData((text) => {
    const typed = typing.taken();
    if ((replaying && !typed) || terminal.options.disableStdin === true) return;
    // A paste goes as one, or not at all: of one in pieces, some could be refused in its middle.
    const tooLong = tooLongNote(text);
    if (tooLong === null) port.send({ type: "input", text });
    else options.onRefused(tooLong);
  });
  let cols = 0;
  let rows = 0;

  return {
    show: (visible) => port.send({ type: "visible", visible }),
    fit() {
      keepSelection(terminal, () => fit.fit());
      if (terminal.cols === cols && terminal.rows === rows) return;
      ({ cols, rows } = terminal);
      port.send({ type: "resize", size: { cols: Math.max(2, cols), rows: Math.max(1, rows) } });
    },
    close() {
      closed = true;
      feed.close();
      drawing.close();
      input.dispose();
      typing.close();
      port.close();
    },
  };
}
