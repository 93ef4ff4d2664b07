import * as z from "zod/v4";
import { parseBearer } from "../../../loopback/token.ts";
import { WebhookAnswer, WebhookEdges, WebhookProvider } from "../../contract/webhooks.ts";
import { FORM_TYPE } from "../../webhooks/delivery.ts";
import { receiveDelivery } from "../../webhooks/receive.ts";
import { parsePart } from "../fields.ts";
import { bytesRoute, route, type RestRoute } from "./route.ts";

/** Webhooks in, section 2.14; `WebhookService` looks after the sources. */
export const webhookRoutes: RestRoute[] = [
  bytesRoute({
    method: "POST",
    path: "/api/v1/webhooks/{provider}",
    summary: "Takes a provider's delivery in; a token of its source or a signature lets it in, no API key",
    open: true,
    bodyTypes: ["application/json", FORM_TYPE],
    // Providers may put anything there.
    query: z.looseObject({}),
    answer: WebhookAnswer,
    run: async ({ core }, { params, body, headers }) => {
      const received = await receiveDelivery(core, {
        provider: parsePart(WebhookProvider, params["provider"], "provider"),
        token: parseBearer(headers.authorization),
        headers,
        body,
      });
      return {
        delivery_id: received.deliveryId,
        event_id: received.eventId,
        duplicate: received.duplicate,
      };
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/flow/webhooks",
    summary: "Sources of webhooks, and which of them has sent which event",
    answer: WebhookEdges,
    run: ({ core, environment }) => ({
      sources: core.store.webhooks
        .list(environment.id)
        .map(({ id, name, provider, event_prefix }) => ({ id, name, provider, event_prefix })),
      edges: core.store.webhooks.edges(environment.id),
    }),
  }),
];
