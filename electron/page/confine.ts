import { app, type Session, type WebContents } from "electron";
import { logInfo } from "../log.ts";

/**
 * Confines everything that shows a page: no permission, no new window, no webview, no way to another address.
 * Electron tells of each web contents as it is made, so nothing is forgotten.
 */
export function confinePages(): void {
  app.on("web-contents-created", (_, contents) => confineContents(contents));
  app.on("session-created", confineSession);
}

/** The default session exists before anybody can listen, so it is confined by name. */
export function confineSession(session: Session): void {
  session.setPermissionRequestHandler((_, permission, answer) => {
    logInfo("page", `refused the permission ${permission}`);
    answer(false);
  });
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.on("will-download", (event) => event.preventDefault());
}

function confineContents(contents: WebContents): void {
  contents.setWindowOpenHandler(() => ({ action: "deny" }));
  contents.on("will-navigate", (event) => event.preventDefault());
  contents.on("will-frame-navigate", (event) => event.preventDefault());
  contents.on("will-redirect", (event) => event.preventDefault());
  contents.on("will-attach-webview", (event) => event.preventDefault());
}
