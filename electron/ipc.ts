import { ipcMain, type IpcMainInvokeEvent } from "electron";
import * as z from "zod/v4";
import { bodyText } from "./body-text.ts";
import { logError } from "./log.ts";

/** The only file that names `ipcMain`: every request of a page comes in here, is checked and answered by its row. */

type Rows = Record<string, { in: z.ZodType; out: z.ZodType }>;
type HandlersOf<R extends Rows> = {
  [N in keyof R]: (argument: z.output<R[N]["in"]>) => Promise<z.input<R[N]["out"]>>;
};

/** Which window a door belongs to; part of the channel's name, so one window cannot knock at the other's door. */
export type Door = "main" | "consent";

/**
 * Registers every row of a contract. Arguments and answers are JSON text, see `TextBridge`. A request of another window, of
 * a frame within the page, or with an argument that does not fit is rejected and changes nothing.
 * @param isOurs whether the sender is this door's window, in its main frame, showing its page
 * @returns the way to take them all back
 */
export function answerRequests<R extends Rows>(
  door: Door,
  rows: R,
  handlers: HandlersOf<R>,
  isOurs: (event: IpcMainInvokeEvent) => boolean,
): () => void {
  const channels = Object.entries(rows).map(([name, row]) => {
    const channel = `${door}/${name}`;
    // The argument is parsed by the row's own schema right before the call.
    const run = handlers[name] as (argument: unknown) => Promise<unknown>;
    ipcMain.handle(channel, async (event, raw: unknown) => {
      if (!isOurs(event)) {
        logError("ipc", `${name}: refused a sender that is not the ${door} window`);
        throw new Error(`${name}: untrusted sender`);
      }
      const argument = row.in.safeParse(parseText(name, raw));
      if (!argument.success) throw new Error(`${name}: ${explain(argument.error)}`);
      return answer(name, row.out, run(argument.data));
    });
    return channel;
  });
  return () => channels.forEach((channel) => ipcMain.removeHandler(channel));
}

function parseText(name: string, raw: unknown): unknown {
  try {
    return JSON.parse(String(raw));
  } catch (cause) {
    throw new Error(`${name}: argument: is not JSON`, { cause });
  }
}

async function answer(name: string, out: z.ZodType, running: Promise<unknown>): Promise<string> {
  try {
    return bodyText(out.parse(await running));
  } catch (cause) {
    if (cause instanceof z.ZodError) {
      logError("ipc", `${name}: the answer has a wrong shape: ${explain(cause)}`);
      throw new Error(`${name}: the answer has a wrong shape`, { cause });
    }
    logError("ipc", `${name} failed`, cause);
    throw cause;
  }
}

function explain(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join(".") || "argument"}: ${issue.message}`).join("; ");
}
