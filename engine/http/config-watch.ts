import type { WebSocket } from "ws";
import { readConfig } from "../config/config.ts";
import { ConfigName, type ConfigUpdateFrame } from "../contract/config.ts";
import type { Core } from "../core.ts";
import type { EnvironmentRow } from "../store/environments.ts";
import { parsePart } from "./fields.ts";
import { watchClient } from "./watch-client.ts";

/** A watch of one configuration, which need not be there yet. @throws ApiError invalid_argument */
export function openConfigWatch(
  core: Core,
  environment: EnvironmentRow,
  nameGiven: string,
): (client: WebSocket) => void {
  const name = parsePart(ConfigName, nameGiven, "name");
  return (client) => serveConfigWatch(core, environment.id, name, client);
}

/**
 * Sends the document when there is one, and then every change. Nothing is missed and nothing comes twice: changes are told
 * in the turn that commits them, and the document is read in the one that begins to listen.
 */
function serveConfigWatch(core: Core, environmentId: string, name: string, client: WebSocket): void {
  const topic = `system.config.${name}`;
  const stop = core.hub.subscribe((notice) => {
    if (notice.environmentId !== environmentId) return;
    if (notice.topic === `${topic}.updated`) tell("put", notice.data as Document);
    if (notice.topic === `${topic}.deleted`) tell("delete", notice.data as Document);
  });
  const send = watchClient(core, client, stop);
  const tell = (operation: ConfigUpdateFrame["operation"], document: Document) =>
    send({ type: "config_update", operation, ...document });
  const document = readConfig(core, environmentId, name);
  if (document !== undefined) tell("put", document);
}

/** As `announceConfig` tells it. */
type Document = Omit<ConfigUpdateFrame, "type" | "operation">;
