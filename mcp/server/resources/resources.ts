import {
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  type Server,
} from "@modelcontextprotocol/server";
import { DocTopic } from "../../contract/tools/docs.ts";
import type { Engine } from "../../engines/engine.ts";
import type { Call } from "../../upstream/http.ts";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import { readDoc } from "../docs/docs.ts";
import { log } from "../log.ts";
import { bounded, boundedJson, toToolError } from "../result.ts";
import type { LiveResources } from "./live.ts";
import { RECORDS, recordAt } from "./records.ts";

const DOCS_PREFIX = "ironflow://docs/";

const DOC_TEXTS: Readonly<Record<DocTopic, Pick<Resource, "title" | "description" | "mimeType">>> = {
  openapi: {
    title: "REST API of the engine",
    description:
      "The engine's own OpenAPI document, fetched from it on each read. REST only: no Connect methods, no push callbacks.",
    mimeType: "application/json",
  },
  "push-protocol": {
    title: "Push protocol",
    description: "What the engine sends to a push function's endpoint, and what it takes back.",
    mimeType: "text/markdown",
  },
  "function-authoring": {
    title: "Writing a function without an SDK",
    description: "How to build, register and try a handler in any language.",
    mimeType: "text/markdown",
  },
};

const DOCS: readonly Resource[] = DocTopic.options.map((topic) => ({
  uri: DOCS_PREFIX + topic,
  name: topic,
  ...DOC_TEXTS[topic],
}));

export type ResourceParts = {
  readonly engine: Engine;
  /** The live resources of `--app`; undefined without it. */
  readonly live: LiveResources | undefined;
};

/** Lets a server answer for documents, single records and, with `--app`, the live resources. */
export function serveResources(
  server: Server,
  era: "modern" | "legacy",
  { engine, live }: ResourceParts,
): void {
  server.setRequestHandler("resources/list", () => ({ resources: [...DOCS, ...(live?.list ?? [])] }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: RECORDS.map(({ template }) => template),
  }));
  server.setRequestHandler("resources/read", async ({ params: { uri } }, { mcpReq: { signal } }) => {
    try {
      return await readResource(uri, { engine, live }, { signal });
    } catch (error) {
      throw toProtocolError(uri, error);
    }
  });
  const subscribed = live?.serve(server, era);
  if (subscribed === undefined || live === undefined) return;
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    if (live.read(uri) === undefined) throw notFound(uri);
    subscribed.add(uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });
}

async function readResource(
  uri: string,
  { engine, live }: ResourceParts,
  call: Call,
): Promise<ReadResourceResult> {
  const topic = uri.startsWith(DOCS_PREFIX)
    ? DocTopic.safeParse(uri.slice(DOCS_PREFIX.length)).data
    : undefined;
  if (topic !== undefined) {
    const { mimeType, text } = await readDoc(topic, engine, call);
    return { contents: [{ uri, mimeType, text: bounded(text) }] };
  }
  const value = live?.read(uri) ?? (await recordAt(uri)?.(engine, call));
  if (value === undefined) throw notFound(uri);
  return { contents: [{ uri, mimeType: "application/json", text: boundedJson(value) }] };
}

const notFound = (uri: string) =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, `Resource not found: ${uri.slice(0, 200)}`, { uri });

/** The error object travels as the error's data: a resource has no `isError` result to put it in. */
function toProtocolError(uri: string, error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (!(error instanceof ToolFailure)) {
    log(`reading ${uri.slice(0, 200)} failed: ${error instanceof Error ? error.stack : String(error)}`);
    return new ProtocolError(
      ProtocolErrorCode.InternalError,
      "the resource could not be read inside the tool server",
    );
  }
  const code = error.code === "not_found" ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  const missing = error.code === "not_found" ? "Resource not found: " : "";
  return new ProtocolError(code, missing + error.message, { uri, ...toToolError(error) });
}
