import * as z from "zod/v4";
import { ToolFailure } from "../../upstream/tool-failure.ts";
import { readAnswer } from "../../upstream/answer.ts";
import type { ApplicationTool, Engine } from "../engine.ts";
import { answerTo, type Wire } from "./wire.ts";

/** Tools that applications registered (contract, section 2.13). The engine lists 1,000 at most, in pages. */
const MAX_TOOLS = 1_000;
const MAX_PAGES = 50;

const ListAnswer = z.looseObject({
  tools: z
    .array(
      z.looseObject({
        qualifiedName: z.string(),
        description: z.string().default(""),
        inputSchemaJson: z.string().default(""),
        timeoutMs: z
          .number()
          .int()
          .min(0)
          .optional()
          .transform((ms) => (ms === 0 ? undefined : ms)),
      }),
    )
    .default([]),
  nextCursor: z.string().default(""),
});

const InvokeAnswer = z.looseObject({
  output: z.unknown().optional(),
  outputValue: z.unknown().optional(),
  error: z.looseObject({ code: z.string().default(""), message: z.string().default("") }).nullish(),
});

export function applicationToolCalls(
  wire: Wire,
): Pick<Engine, "listApplicationTools" | "invokeApplicationTool"> {
  return {
    listApplicationTools: async (call) => {
      const tools: ApplicationTool[] = [];
      let cursor = "";
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const { text } = await wire.surfaces.send(
          {
            connect: "AgentToolsService/ListTools",
            message: cursor === "" ? {} : { cursor },
            effect: "read",
          },
          call,
        );
        const answer = readAnswer(ListAnswer, text, answerTo("ListTools"));
        for (const { qualifiedName, description, inputSchemaJson, timeoutMs } of answer.tools)
          tools.push({ name: qualifiedName, description, inputSchemaJson, timeoutMs });
        if (tools.length > MAX_TOOLS) break;
        if (answer.nextCursor === "" || answer.nextCursor === cursor) return tools;
        cursor = answer.nextCursor;
      }
      throw new ToolFailure({
        code: "data_loss",
        message: `the engine's list of application tools does not end after ${tools.length} entries`,
        retryable: false,
      });
    },

    invokeApplicationTool: async ({ tool, input, timeoutMs }, call) => {
      const { text } = await wire.surfaces.send(
        {
          connect: "AgentToolsService/InvokeTool",
          message: { toolName: tool, input },
          effect: "once",
          deadlineMs: timeoutMs,
        },
        { ...call, timeoutMs },
      );
      const { output, outputValue, error } = readAnswer(InvokeAnswer, text, answerTo("InvokeTool"));
      if (error !== undefined && error !== null) return { error };
      return { output: outputValue === undefined ? (output ?? null) : outputValue };
    },
  };
}
