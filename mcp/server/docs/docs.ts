import type { DocTopic } from "../../contract/tools/docs.ts";
import type { Engine } from "../../engines/engine.ts";
import type { Call } from "../../upstream/http.ts";
import functionAuthoring from "./function-authoring.md";
import pushProtocol from "./push-protocol.md";

export type Doc = {
  /** Where the text comes from, in one sentence for a reader. */
  readonly source: string;
  readonly mimeType: "application/json" | "text/markdown";
  readonly text: string;
};

const GUIDES = { "push-protocol": pushProtocol, "function-authoring": functionAuthoring } as const;

/**
 * One document. The guides are always there; openapi is fetched from the engine each time.
 * @throws ToolFailure when the engine does not give it
 */
export async function readDoc(topic: DocTopic, engine: Engine, call: Call): Promise<Doc> {
  if (topic === "openapi")
    return {
      source: `Source: the engine at ${engine.url}, GET /api/v1/openapi.json, fetched now. It describes REST only, not Connect methods and not push callbacks.`,
      mimeType: "application/json",
      text: await engine.openapi(call),
    };
  return {
    source: `Source: the ${topic} guide that comes with this tool server. The engine's version may differ from it.`,
    mimeType: "text/markdown",
    text: GUIDES[topic],
  };
}
