import { fromJsonSchema, type McpServer } from "@modelcontextprotocol/server";
import * as z from "zod/v4";
import { PNG, WAV, pause, text } from "./samples.ts";

const image = { type: "image" as const, data: PNG, mimeType: "image/png" };
const PAUSE_MS = 50;
const NONE = z.object({});

const RICH_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

/** The tools of the public suite that answer by themselves. Names and answers are the suite's. */
export function registerPlainTools(server: McpServer): void {
  const tool = (name: string, description: string, answer: () => ReturnType<typeof text>) =>
    server.registerTool(name, { description, inputSchema: NONE }, answer);

  tool("test_simple_text", "Answers with one text.", () =>
    text("This is a simple text response for testing."),
  );
  tool("test_error_handling", "Always fails.", () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  server.registerTool(
    "test_image_content",
    { description: "Answers with a picture.", inputSchema: NONE },
    () => ({
      content: [image],
    }),
  );
  server.registerTool(
    "test_audio_content",
    { description: "Answers with a sound.", inputSchema: NONE },
    () => ({
      content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
    }),
  );
  server.registerTool(
    "test_embedded_resource",
    { description: "Answers with an embedded resource.", inputSchema: NONE },
    () => ({
      content: [
        {
          type: "resource",
          resource: {
            uri: "test://embedded-resource",
            mimeType: "text/plain",
            text: "This is an embedded resource content.",
          },
        },
      ],
    }),
  );
  server.registerTool(
    "test_multiple_content_types",
    { description: "Answers with text, picture and resource.", inputSchema: NONE },
    () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        image,
        {
          type: "resource",
          resource: {
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: JSON.stringify({ test: "data", value: 123 }),
          },
        },
      ],
    }),
  );
  server.registerTool(
    "json_schema_2020_12_tool",
    {
      description: "Tool with JSON Schema 2020-12 features",
      inputSchema: fromJsonSchema<Record<string, unknown>>(RICH_SCHEMA),
    },
    (args) => text(JSON.stringify(args)),
  );
  registerTalkingTools(server);
}

/** Tools that say something while they work. */
function registerTalkingTools(server: McpServer): void {
  server.registerTool(
    "test_tool_with_progress",
    { description: "Reports its progress.", inputSchema: NONE },
    async (_, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progress > 0) await pause(PAUSE_MS);
        if (progressToken === undefined) continue;
        const params = { progressToken, progress, total: 100 };
        await mcpReq.notify({ method: "notifications/progress", params });
      }
      return text("Done in three steps.");
    },
  );
  for (const name of ["test_tool_with_logging", "test_logging_tool"])
    server.registerTool(
      name,
      { description: "Logs what it does.", inputSchema: NONE },
      async (_, { mcpReq }) => {
        for (const [at, line] of ["started", "processing data", "completed"].entries()) {
          if (at > 0) await pause(PAUSE_MS);
          await mcpReq.log(
            "info",
            line === "processing data" ? "Tool processing data" : `Tool execution ${line}`,
          );
        }
        return text("Logged three times.");
      },
    );
  server.registerTool(
    "test_reconnection",
    { description: "Ends its stream before it answers.", inputSchema: NONE },
    async (_, context) => {
      context.http?.closeSSE?.();
      await pause(2 * PAUSE_MS);
      return text("Answered on the next stream.");
    },
  );
}
