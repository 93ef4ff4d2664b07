import { app, BrowserWindow, nativeTheme, screen } from "electron";
import type { IpcMainInvokeEvent } from "electron";
import { pageUrl } from "./page/pages.ts";
import { isOurFrame } from "./sender.ts";
import type { Bounds, SettingsStore } from "./settings.ts";
import { logError } from "./log.ts";

const FIRST_SIZE = { width: 1280, height: 820 };
const SMALLEST = { minWidth: 760, minHeight: 480 };

export interface MainWindow {
  readonly window: BrowserWindow;
  /** Whether a message comes from this window's main frame, still showing its page. */
  isSender(event: Pick<IpcMainInvokeEvent, "sender" | "senderFrame">): boolean;
  /** Brings it to the front. */
  focus(): void;
  close(): void;
}

/** Opens the main window where it was last and loads its page; shown once there is something to see. */
export function openMainWindow(options: { preload: string; settings: SettingsStore }): MainWindow {
  const bounds = visibleBounds(options.settings.stored.window);
  const window = new BrowserWindow({
    ...FIRST_SIZE,
    ...bounds,
    ...SMALLEST,
    show: false,
    title: "Ironbridge",
    autoHideMenuBar: true,
    // Seen until the page has drawn.
    backgroundColor: nativeTheme.shouldUseDarkColors ? "#0e1316" : "#f8fafc",
    webPreferences: {
      preload: options.preload,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
      devTools: !app.isPackaged,
    },
  });
  window.once("ready-to-show", () => window.show());
  window.on("close", () => rememberBounds(window, options.settings));
  window.webContents.on("render-process-gone", (_, details) => {
    logError("window", `the page's process is gone (${details.reason})`);
    if (details.reason !== "clean-exit" && !window.isDestroyed()) window.reload();
  });
  window.loadURL(pageUrl("index.html")).catch((cause: unknown) => {
    if (!window.isDestroyed()) logError("window", "the page could not be loaded", cause);
  });
  return {
    window,
    isSender: (event) =>
      !window.isDestroyed() &&
      event.sender === window.webContents &&
      event.senderFrame === window.webContents.mainFrame &&
      isOurFrame(event.senderFrame, "index.html"),
    focus() {
      if (window.isDestroyed()) return;
      if (window.isMinimized()) window.restore();
      window.show();
      window.focus();
    },
    close() {
      if (!window.isDestroyed()) window.destroy();
    },
  };
}

/** A display may have been taken away since: a window nobody can see helps nobody. */
function visibleBounds(bounds: Bounds | undefined): Bounds | undefined {
  if (bounds === undefined) return undefined;
  const { workArea } = screen.getDisplayMatching(bounds);
  const reachable =
    bounds.x < workArea.x + workArea.width &&
    bounds.x + bounds.width > workArea.x &&
    bounds.y >= workArea.y &&
    bounds.y < workArea.y + workArea.height;
  return reachable ? bounds : undefined;
}

function rememberBounds(window: BrowserWindow, settings: SettingsStore): void {
  try {
    settings.change({ window: window.getNormalBounds() });
  } catch (cause) {
    logError("window", "its place could not be kept", cause); // a full disk must not keep the window open
  }
}
