import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import * as z from "zod/v4";
import { readBody } from "../../loopback/body.ts";
import { guardRequest, type GuardPolicy } from "../../loopback/guard.ts";
import { listen, type LoopbackServer } from "../../loopback/listen.ts";
import { sendRefusal } from "../../loopback/refusal.ts";
import { PushRequest } from "../contract/push.ts";
import { sign } from "../execute/push.ts";
import type { Partners } from "./partners.ts";
import { answerPush, type Handler } from "./steps.ts";

const maxBodyBytes = 8 * 1024 * 1024;

interface Shop {
  handlers: ReadonlyMap<string, Handler>;
  partners: Partners;
  /** Calls without a valid signature are refused when there is one. */
  signingKey: string | undefined;
}

/** The shop's HTTP server: its push functions under `/functions/`, the partners' servers under `/partners/`. */
export async function startShopServer(shop: Shop): Promise<LoopbackServer> {
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
      const body = await readBody(request, { maxBytes: maxBodyBytes });
      if (!body.ok) {
        refuse(response, 400, "VALIDATION_ERROR", body.problem);
        return;
      }
      const [, kind, name = ""] = admission.path.split("/");
      if (kind === "functions") await serveFunction(request, response, shop, name, body.text);
      else servePartner(response, shop.partners, name, body.text);
    };
  });
}

async function serveFunction(
  request: IncomingMessage,
  response: ServerResponse,
  { handlers, partners, signingKey }: Shop,
  name: string,
  body: string,
): Promise<void> {
  const handler = handlers.get(name);
  if (name === "pick-in-warehouse" && !partners.warehouseIsUp()) {
    refuse(response, 503, "DOWN", "the warehouse's server is down");
  } else if (!isSigned(body, request.headers["x-ironflow-signature"], signingKey)) {
    refuse(response, 401, "SIGNATURE_INVALID", "the signature is missing or wrong");
  } else if (handler === undefined) {
    refuse(response, 404, "FUNCTION_NOT_FOUND", "no such function");
  } else {
    const parsed = PushRequest.safeParse(parseJson(body));
    if (parsed.success) send(response, 200, await answerPush(parsed.data, handler));
    else refuse(response, 400, "VALIDATION_ERROR", parsed.error.issues[0]?.path.join(".") ?? "body");
  }
}

const Charge = z.object({ reference: z.string().max(256) });

function servePartner(response: ServerResponse, partners: Partners, name: string, body: string): void {
  if (name === "carrier") {
    const { status, body: answer } = partners.carrier();
    send(response, status, answer);
    return;
  }
  const charge = Charge.safeParse(parseJson(body));
  if (name !== "gateway" || !charge.success) {
    refuse(response, 404, "NOT_FOUND", "no such partner or charge");
    return;
  }
  const { status, body: answer } = partners.gateway(charge.data.reference);
  send(response, status, answer);
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
