import type { DocTopic } from "../../contract/tools/docs.ts";
import { readDoc } from "../docs/docs.ts";
import type { ToolHandlers } from "./handler.ts";

export const docHandlers: ToolHandlers<"ironflow_get_docs"> = {
  ironflow_get_docs: async ({ topic }: { topic: DocTopic }, { engine, signal }) => {
    const { source, text } = await readDoc(topic, engine, { signal });
    return { blocks: [source, text] };
  },
};
