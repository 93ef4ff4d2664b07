import { expect } from "@playwright/test";
import type { RunningApp } from "../launch.ts";

/** Gives the app's window this room, and waits until the page is laid out in it: it knows its size a frame or two before. */
export async function resizeWindow(
  { electron, page }: RunningApp,
  width: number,
  height: number,
): Promise<void> {
  await electron.evaluate(
    ({ BrowserWindow }, [w, h]) => {
      for (const window of BrowserWindow.getAllWindows()) window.setContentSize(w, h);
    },
    [width, height] as const,
  );
  await expect
    .poll(() => page.evaluate(() => [window.innerWidth, window.innerHeight]))
    .toEqual([width, height]);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
