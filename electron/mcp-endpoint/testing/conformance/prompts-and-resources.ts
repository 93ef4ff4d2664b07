import {
  ResourceTemplate,
  completable,
  inputRequired,
  inputResponse,
  type McpServer,
} from "@modelcontextprotocol/server";
import * as z from "zod/v4";
import { PNG } from "./samples.ts";

const said = (value: string) => ({ role: "user" as const, content: { type: "text" as const, text: value } });
const WORDS = ["paris", "park", "party", "hello"];
const suggest = (value: string | undefined) => WORDS.filter((word) => word.startsWith(value ?? ""));

/** The prompts of the public suite. */
export function registerPrompts(server: McpServer): void {
  server.registerPrompt("test_simple_prompt", { description: "Says one sentence." }, () => ({
    messages: [said("This is a simple prompt for testing.")],
  }));
  server.registerPrompt(
    "test_prompt_with_arguments",
    {
      description: "Says what it was given.",
      argsSchema: z.object({
        arg1: completable(z.string(), suggest),
        arg2: completable(z.string(), suggest),
      }),
    },
    ({ arg1, arg2 }) => ({ messages: [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)] }),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "Embeds a resource.", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        {
          role: "user",
          content: {
            type: "resource",
            resource: {
              uri: resourceUri,
              mimeType: "text/plain",
              text: "Embedded resource content for testing.",
            },
          },
        },
        said("Please process the embedded resource above."),
      ],
    }),
  );
  server.registerPrompt("test_prompt_with_image", { description: "Shows a picture." }, () => ({
    messages: [
      { role: "user", content: { type: "image", data: PNG, mimeType: "image/png" } },
      said("Please analyze the image above."),
    ],
  }));
  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "Asks for its context first." },
    ({ mcpReq }) => {
      const view = inputResponse(mcpReq.inputResponses, "user_context");
      if (view.kind === "elicit")
        return { messages: [said(`Context: ${JSON.stringify(view.content ?? {})}`)] };
      const message = "What context should the prompt use?";
      const requestedSchema = {
        type: "object" as const,
        properties: { context: { type: "string" as const } },
        required: ["context"],
      };
      return inputRequired({
        inputRequests: { user_context: inputRequired.elicit({ message, requestedSchema }) },
      });
    },
  );
}

/** The resources of the public suite. */
export function registerResources(server: McpServer): void {
  const plain = { mimeType: "text/plain" };
  server.registerResource(
    "static-text",
    "test://static-text",
    { ...plain, description: "A text." },
    ({ href }) => ({
      contents: [{ uri: href, ...plain, text: "This is the content of the static text resource." }],
    }),
  );
  server.registerResource(
    "static-binary",
    "test://static-binary",
    { mimeType: "image/png", description: "A picture." },
    ({ href }) => ({ contents: [{ uri: href, mimeType: "image/png", blob: PNG }] }),
  );
  server.registerResource(
    "watched",
    "test://watched-resource",
    { ...plain, description: "May be subscribed to." },
    ({ href }) => ({ contents: [{ uri: href, ...plain, text: "Nothing has changed yet." }] }),
  );
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { mimeType: "application/json", description: "A record by its id." },
    ({ href }, { id }) => ({
      contents: [
        {
          uri: href,
          mimeType: "application/json",
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  );
  for (const method of ["resources/subscribe", "resources/unsubscribe"] as const)
    server.server.setRequestHandler(method, () => ({}));
}
