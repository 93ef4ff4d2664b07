import { Notification } from "electron";

/** A message of the desktop's own, outside of our windows. The text is ours: what programs and agents say is not repeated. */
export interface Notice {
  close(): void;
}

/** Undefined where the desktop has no such thing. */
export function notify(
  text: { readonly title: string; readonly body: string },
  onClick: () => void,
): Notice | undefined {
  if (!Notification.isSupported()) return undefined;
  const notice = new Notification(text);
  notice.on("click", onClick);
  notice.show();
  return { close: () => notice.close() };
}
