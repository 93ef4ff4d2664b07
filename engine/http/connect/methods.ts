import { agentToolMethods } from "./agent-tool-methods.ts";
import { auditMethods } from "./audit-methods.ts";
import { emitMethods, pubsubMethods } from "./emit-methods.ts";
import { environmentMethods } from "./environment-methods.ts";
import { functionMethods } from "./function-methods.ts";
import { groupMethods } from "./group-methods.ts";
import { injectionMethods } from "./injection-methods.ts";
import type { ConnectMethod } from "./method.ts";
import { queryMethods } from "./query-methods.ts";
import { projectionMethods } from "./projection-methods.ts";
import { projectionStreams } from "./projection-streams.ts";
import { projectionWorkerMethods } from "./projection-worker-methods.ts";
import { pubsubStreams } from "./pubsub-methods.ts";
import { runMethods } from "./run-methods.ts";
import type { ConnectStream } from "./stream.ts";
import { serverMethods } from "./server-methods.ts";
import { streamMethods } from "./stream-methods.ts";
import { timeTravelMethods } from "./time-travel-methods.ts";
import { topicMethods } from "./topic-methods.ts";
import { webhookMethods } from "./webhook-methods.ts";

export const CONNECT_PREFIX = "/ironflow.v1.";

const services: Record<string, Record<string, ConnectMethod>> = {
  IronflowService: {
    ...serverMethods,
    ...functionMethods,
    ...emitMethods,
    ...runMethods,
    ...injectionMethods,
  },
  PubSubService: { ...pubsubMethods, ...topicMethods, ...groupMethods },
  EnvironmentService: environmentMethods,
  AuditService: auditMethods,
  AgentToolsService: agentToolMethods,
  EntityStreamService: streamMethods,
  QueryService: queryMethods,
  ProjectionService: { ...projectionMethods, ...projectionWorkerMethods },
  TimeTravelService: timeTravelMethods,
  WebhookService: webhookMethods,
};

export const CONNECT_SERVICES: readonly string[] = Object.keys(services);

/** Every unary method that this engine serves, by `Service/Method`. */
export const connectMethods: ReadonlyMap<string, ConnectMethod> = new Map(
  Object.entries(services).flatMap(([service, methods]) =>
    Object.entries(methods).map(([name, method]) => [`${service}/${name}`, method] as const),
  ),
);

const streams: Record<string, Record<string, ConnectStream>> = {
  PubSubService: pubsubStreams,
  ProjectionService: projectionStreams,
};

/** Every server stream, by `Service/Method`. */
export const connectStreams: ReadonlyMap<string, ConnectStream> = new Map(
  Object.entries(streams).flatMap(([service, methods]) =>
    Object.entries(methods).map(([name, stream]) => [`${service}/${name}`, stream] as const),
  ),
);
