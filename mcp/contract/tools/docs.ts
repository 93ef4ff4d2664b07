import * as z from "zod/v4";
import { READ_ROW, toolRow } from "../tool-row.ts";

/** What there is to read about writing handlers and calling the engine without an SDK. */
export const DocTopic = z.enum(["openapi", "push-protocol", "function-authoring"]);
export type DocTopic = z.infer<typeof DocTopic>;

export const DOC_ROWS = [
  toolRow({
    ...READ_ROW,
    name: "ironflow_get_docs",
    title: "Get a contract or guide",
    description:
      "Returns one document: openapi (the engine's own description of its REST routes, fetched from it now; Connect methods and push callbacks are not in it), push-protocol (what the engine sends to a function's endpoint and what it expects back), or function-authoring (how to write, register and test a handler without an SDK). " +
      "Read push-protocol and function-authoring before you write a handler. The two guides come with this tool server and may differ from the engine's version. Returns two text blocks: where the document comes from, and the document.",
    input: z.strictObject({
      topic: DocTopic.describe("openapi, push-protocol or function-authoring; nothing else, no URLs."),
    }),
    output: null,
  }),
] as const;
