import { createHash, randomBytes, randomUUID } from "node:crypto";
import {
  CLIENT_INFO_META_KEY,
  acceptedContent,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod/v4";
import type { ToolError } from "../contract/errors.ts";
import { failureResult } from "./result.ts";

const KEY = "confirm";
const Answer = z.object({ confirm: z.boolean() });

/** How long a question may stay open, in seconds. */
const QUESTION_SECONDS = 300;
const MAX_SPENT = 10_000;

type Asked = { readonly tool: string; readonly args: string; readonly nonce: string };

export type Irreversible = {
  readonly tool: string;
  /** The parsed arguments, `confirm` among them. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Says what would be lost, as it is now. Asked for only when the person is asked. */
  readonly question: () => Promise<string>;
};

export type Confirmation =
  | { readonly ok: true }
  /** A question to the client, or a refusal. */
  | { readonly ok: false; readonly result: CallToolResult | InputRequiredResult };

/**
 * The person's yes to an irreversible call, when the tool server runs alone. A client that has form elicitation is asked,
 * and `confirm` is ignored; any other must send `confirm: true`. The answer counts once, for exactly this tool and these
 * arguments, and only for a question that this process put. One way for both protocol eras: the SDK pushes the question to
 * clients of the handshake revisions, and comes back with the answer.
 */
export class Confirmer {
  readonly #codec = createRequestStateCodec<Asked>({
    key: new Uint8Array(randomBytes(32)),
    ttlSeconds: QUESTION_SECONDS,
    bind: callerOf,
  });
  /** Nonces of answers that were taken, with the time in ms after which they cannot come back anyway. */
  readonly #spent = new Map<string, number>();

  /** For `ServerOptions.requestState`: refuses a state that is forged, changed or too old. */
  readonly requestState = {
    verify: (state: string, context: ServerContext) => this.#codec.verify(state, context),
  };

  async confirm(
    { tool, args, question }: Irreversible,
    context: ServerContext,
    capabilities: ClientCapabilities | undefined,
  ): Promise<Confirmation> {
    if (!canAsk(capabilities)) return args["confirm"] === true ? { ok: true } : refuse(NOT_CONFIRMED);
    const digest = digestOf(args);
    const view = inputResponse(context.mcpReq.inputResponses, KEY);
    if (view.kind === "missing") return this.#ask(tool, digest, await question(), context);

    const asked = context.mcpReq.requestState<Asked>();
    if (asked === undefined || asked.tool !== tool || asked.args !== digest) return refuse(FOREIGN_ANSWER);
    if (this.#spent.has(asked.nonce)) return refuse(USED_ANSWER);
    this.#spend(asked.nonce);
    const accepted = view.kind === "elicit" && view.action === "accept";
    const said = acceptedContent(context.mcpReq.inputResponses, KEY, Answer);
    return accepted && said?.confirm === true ? { ok: true } : refuse(DECLINED);
  }

  async #ask(tool: string, args: string, message: string, context: ServerContext): Promise<Confirmation> {
    const requestState = await this.#codec.mint({ tool, args, nonce: randomUUID() }, context);
    return {
      ok: false,
      result: inputRequired({
        requestState,
        inputRequests: {
          [KEY]: inputRequired.elicit({
            message,
            requestedSchema: {
              type: "object",
              properties: { confirm: { type: "boolean", title: "Yes, do it", default: false } },
              required: ["confirm"],
            },
          }),
        },
      }),
    };
  }

  #spend(nonce: string): void {
    const now = Date.now();
    for (const [old, until] of this.#spent) {
      if (until > now && this.#spent.size < MAX_SPENT) break;
      this.#spent.delete(old);
    }
    this.#spent.set(nonce, now + 2 * QUESTION_SECONDS * 1000);
  }
}

/** Who calls, as far as this server can tell: the token's client over HTTP, and what the client says of itself. */
function callerOf({ mcpReq, http }: ServerContext): string {
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  const client = JSON.stringify(envelope[CLIENT_INFO_META_KEY] ?? null);
  return [mcpReq.method, http?.authInfo?.clientId ?? "", client].join("\0");
}

/** `{url: {}}` alone is not enough for a form; `{}` is what older revisions say for forms. */
function canAsk(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/** `confirm` is left out: where the person is asked, it means nothing. */
function digestOf({ confirm: _ignored, ...args }: Readonly<Record<string, unknown>>): string {
  return createHash("sha256").update(JSON.stringify(args)).digest("base64url");
}

const refuse = (error: ToolError): Confirmation => ({ ok: false, result: failureResult(error) });

const NOT_CONFIRMED: ToolError = {
  error: "not confirmed; nothing was changed",
  code: "failed_precondition",
  reason: "confirmation_required",
  retryable: false,
  hint: "This cannot be undone. Show the person the target first, and send the call with confirm: true only after they agreed.",
};

const DECLINED: ToolError = {
  error: "the person declined; nothing was changed",
  code: "canceled",
  reason: "declined",
  retryable: false,
  hint: "Do not send the call again unless the person asks for it.",
};

const FOREIGN_ANSWER: ToolError = {
  error: "the confirmation does not belong to this call; nothing was changed",
  code: "invalid_argument",
  reason: "confirmation_mismatch",
  retryable: false,
};

const USED_ANSWER: ToolError = {
  error: "this confirmation was used already; nothing was changed by this call",
  code: "failed_precondition",
  reason: "confirmation_used",
  retryable: false,
};
