import { ORIGIN } from "./page/pages.ts";

/** The part of an IPC event that says who sent it. */
export interface SenderFrame {
  readonly url: string;
  /** Null in a main frame. */
  readonly parent: unknown;
}

/**
 * Whether a message comes from a page of ours: the main frame of the window it belongs to, still showing our page.
 * @param frame null when the frame is gone
 */
export function isOurFrame(frame: SenderFrame | null, page: string): boolean {
  if (frame === null || frame.parent !== null || !URL.canParse(frame.url)) return false;
  const url = new URL(frame.url);
  return `${url.protocol}//${url.host}` === ORIGIN && url.pathname === `/${page}`;
}
