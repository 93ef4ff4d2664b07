import { BrowserWindow, session, type InputEvent } from "electron";
import { consentRequests, type ConsentHandlers } from "../contract/consent.ts";
import { answerRequests } from "../ipc.ts";
import { logError } from "../log.ts";
import { pageUrl } from "../page/pages.ts";
import { servePages } from "../page/serve-pages.ts";
import { sendConsentEvent } from "../send-event.ts";
import { isOurFrame } from "../sender.ts";
import type { Consent } from "./consent.ts";

/** Not kept on disk, and shared with no other page. */
const PARTITION = "consent";
const SIZE = { width: 620, height: 720, minWidth: 480, minHeight: 420 };

/** How long an empty, hidden window is kept for the next question, in ms. */
const LINGER_MS = 2_000;

/** What a person does when they decide; moving the mouse is not it. */
const DECIDING: ReadonlySet<InputEvent["type"]> = new Set([
  "mouseDown",
  "mouseUp",
  "keyDown",
  "rawKeyDown",
  "touchEnd",
  "gestureTap",
]);

/** A key that repeats was pressed before, for another window or another question perhaps: it decides nothing. */
const isHeld = ({ modifiers }: InputEvent): boolean => modifiers?.includes("isautorepeat") === true;

export interface ConsentWindow {
  /** The queue has changed: show the question on top, or go away. */
  refresh(): void;
  /** Brings the question to the front. */
  show(): void;
  /** Where the app's other window is; the question appears over it. */
  close(): void;
}

export interface ConsentWindowOptions {
  readonly consent: Consent;
  readonly preload: string;
  readonly pages: string;
}

/**
 * The window in which the person decides: its own session, page and door, opened with the first question and closed with
 * the last. An answer comes from its main frame only, and only main's own sight of the person's input makes it count.
 */
export function createConsentWindow(options: ConsentWindowOptions): ConsentWindow {
  const { consent } = options;
  const { queue } = consent;
  const ownSession = session.fromPartition(PARTITION);
  servePages(ownSession, options.pages, "consent.html");
  let window: BrowserWindow | undefined;
  /** The question that the page has been given. */
  let given: string | undefined;
  let ending = false;
  let lingering: NodeJS.Timeout | undefined;

  const isSender: Parameters<typeof answerRequests>[3] = (event) =>
    window !== undefined &&
    !window.isDestroyed() &&
    event.sender === window.webContents &&
    event.senderFrame === window.webContents.mainFrame &&
    isOurFrame(event.senderFrame, "consent.html");

  const handlers: ConsentHandlers = {
    async "consent:current"() {
      give();
      return consent.current();
    },
    async "consent:answer"({ question_id: id, answer, remember }) {
      return queue.answer(id, answer, remember);
    },
  };
  const takeBack = answerRequests("consent", consentRequests, handlers, isSender);

  /** The question on top is before the person's eyes from now on. */
  function give(): void {
    given = queue.top?.id;
    queue.presented();
  }

  function open(): void {
    const opened = new BrowserWindow({
      ...SIZE,
      show: false,
      title: "Ironbridge asks",
      alwaysOnTop: true,
      minimizable: false,
      maximizable: false,
      fullscreenable: false,
      autoHideMenuBar: true,
      webPreferences: {
        session: ownSession,
        preload: options.preload,
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        webviewTag: false,
        devTools: false,
        spellcheck: false,
        // Draws while it is hidden too: what it showed last must not flash up when it shows the next question.
        backgroundThrottling: false,
      },
    });
    window = opened;
    given = undefined;
    opened.setMenu(null);
    opened.once("ready-to-show", () => bringUp());
    opened.on("show", () => queue.presented());
    opened.on("focus", () => queue.presented());
    opened.on("close", (event) => {
      if (ending || queue.count === 0) return;
      event.preventDefault(); // the next question, if there is one, stays in this window
      queue.dismissed();
    });
    opened.on("closed", () => {
      if (window === opened) window = undefined;
    });
    opened.webContents.on("input-event", (_, input) => {
      if (DECIDING.has(input.type) && !isHeld(input)) queue.inputSeen();
    });
    opened.webContents.on("render-process-gone", (_, details) => {
      if (window !== opened) return;
      logError("consent", `the page's process is gone (${details.reason})`);
      window = undefined;
      opened.destroy();
      queue.dismissed();
      refresh();
    });
    opened.loadURL(pageUrl("consent.html")).catch((cause: unknown) => {
      if (!opened.isDestroyed()) logError("consent", "the page could not be loaded", cause);
    });
  }

  function bringUp(): void {
    if (window === undefined || window.isDestroyed()) return;
    window.show();
    window.moveTop();
    window.focus();
  }

  function refresh(): void {
    clearTimeout(lingering);
    if (queue.top === undefined) {
      given = undefined;
      if (window !== undefined && !window.isDestroyed()) {
        sendConsentEvent(window.webContents, "consent:question", null); // nothing of it is kept in sight
        window.hide();
      }
      lingering = setTimeout(() => window?.destroy(), LINGER_MS);
      return;
    }
    if (window === undefined || window.isDestroyed()) return open();
    sendConsentEvent(window.webContents, "consent:question", consent.current());
    if (given === queue.top.id) return; // only the number of those behind it has changed
    give();
    bringUp();
  }

  return {
    refresh,
    show: bringUp,
    close() {
      ending = true;
      clearTimeout(lingering);
      queue.close();
      window?.destroy();
      takeBack();
    },
  };
}
