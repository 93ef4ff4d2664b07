import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody } from "../../loopback/body.ts";
import { guardRequest, type GuardPolicy } from "../../loopback/guard.ts";
import { listen, type LoopbackServer } from "../../loopback/listen.ts";
import { sendRefusal } from "../../loopback/refusal.ts";
import { PushRequest } from "../contract/push.ts";
import { sign } from "../execute/push.ts";
import { answerPush, type Handler } from "./steps.ts";

/** Another company's server that the shop calls: answers a status and a JSON body. */
export type Partner = () => { status: number; body: unknown };

const maxBodyBytes = 8 * 1024 * 1024;

/** The shop's own HTTP server: its push functions under `/functions/`, the partners it calls under `/partners/`. */
export async function startShopServer(options: {
  functions: Readonly<Record<string, Handler>>;
  partners: Readonly<Record<string, Partner>>;
  /** Calls without a valid signature are refused when there is one. */
  signingKey: string | undefined;
}): Promise<LoopbackServer> {
  return listen((at) => {
    const policy: GuardPolicy<never> = {
      hosts: new Set([at.host]),
      allowedOrigins: new Set(),
      routes: [
        { under: "/functions/", methods: ["POST"], anonymous: true },
        { under: "/partners/", methods: ["POST"], anonymous: true },
      ],
      authenticate: () => undefined,
    };
    return async (request, response) => {
      const admission = guardRequest(request, policy);
      if (!admission.ok) {
        sendRefusal(request, response, admission);
        return;
      }
      const [, kind, name = ""] = admission.path.split("/");
      if (kind === "functions") await serveFunction(request, response, options, decodeURIComponent(name));
      else servePartner(response, options.partners[decodeURIComponent(name)]);
    };
  });
}

async function serveFunction(
  request: IncomingMessage,
  response: ServerResponse,
  options: { functions: Readonly<Record<string, Handler>>; signingKey: string | undefined },
  name: string,
): Promise<void> {
  const handler = options.functions[name];
  const body = await readBody(request, { maxBytes: maxBodyBytes });
  if (!body.ok) {
    refuse(response, 400, "VALIDATION_ERROR", body.problem);
  } else if (!isSigned(body.text, request.headers["x-ironflow-signature"], options.signingKey)) {
    refuse(response, 401, "SIGNATURE_INVALID", "the signature is missing or wrong");
  } else if (handler === undefined) {
    refuse(response, 404, "FUNCTION_NOT_FOUND", "no such function");
  } else {
    const parsed = PushRequest.safeParse(parseJson(body.text));
    if (parsed.success) send(response, 200, await answerPush(parsed.data, handler));
    else refuse(response, 400, "VALIDATION_ERROR", parsed.error.issues[0]?.path.join(".") ?? "body");
  }
}

function servePartner(response: ServerResponse, partner: Partner | undefined): void {
  if (partner === undefined) {
    refuse(response, 404, "NOT_FOUND", "no such partner");
    return;
  }
  const { status, body } = partner();
  send(response, status, body);
}

function isSigned(body: string, given: string | string[] | undefined, key: string | undefined): boolean {
  if (key === undefined) return true;
  const wanted = Buffer.from(sign(body, key));
  const actual = Buffer.from(typeof given === "string" ? given : "");
  return wanted.length === actual.length && timingSafeEqual(wanted, actual);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  send(response, status, { error: { message, code } });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
