import { homedir } from "node:os";
import { join } from "node:path";
import { dialog, shell } from "electron";
import type { TranscriptFormat } from "../../bridge/contract/port.ts";
import type { TerminalBridge } from "../children/bridge.ts";
import type { Handlers } from "../contract/ipc.ts";
import type { TerminalHistory } from "../terminal-history.ts";
import type { TerminalNotices } from "../terminal-notices.ts";

type Rows =
  | "terminals:list"
  | "terminals:attach"
  | "terminals:in-view"
  | "terminals:stop"
  | "terminals:close"
  | "terminals:restart"
  | "terminals:save"
  | "terminals:rename"
  | "terminals:command"
  | "terminals:open-link"
  | "terminals:history";

const FILES: Readonly<Record<TranscriptFormat, { extension: string; name: string }>> = {
  text: { extension: "txt", name: "Text" },
  asciicast: { extension: "cast", name: "asciicast v2" },
};

/** The person's own hands on terminal tabs. Main brokers the port and never reads the bytes. */
export function terminalHandlers(
  bridge: TerminalBridge,
  history: Pick<TerminalHistory, "list">,
  notices: Pick<TerminalNotices, "inView">,
): Pick<Handlers, Rows> {
  return {
    "terminals:list": async () => [...bridge.sessions()],
    "terminals:attach": async ({ session_id: id, attach_id: attachId }) => ({
      attached: await bridge.attach(id, attachId),
    }),
    async "terminals:in-view"({ session_ids: ids }) {
      notices.inView(ids);
      return {};
    },
    "terminals:stop": ({ session_id: id }) => bridge.stop(id),
    "terminals:close": ({ session_id: id }) => bridge.close(id),
    "terminals:restart": async ({ session_id: id }) => ({ started: await bridge.restart(id) }),
    async "terminals:save"({ session_id: id, format }) {
      const { extension, name } = FILES[format];
      const { canceled, filePath } = await dialog.showSaveDialog({
        title: "Save the transcript",
        defaultPath: join(homedir(), `${id}.${extension}`),
        filters: [{ name, extensions: [extension] }],
      });
      if (canceled || filePath === "") return { path: null, problem: null };
      const problem = await bridge.save(id, format, filePath);
      return { path: problem === null ? filePath : null, problem };
    },
    "terminals:rename": async ({ session_id: id, name }) => ({ renamed: await bridge.rename(id, name) }),
    "terminals:command": async ({ session_id: id }) => ({ command: await bridge.command(id) }),
    async "terminals:open-link"({ url }) {
      await shell.openExternal(url);
      return {};
    },
    "terminals:history": async () => history.list(),
  };
}
