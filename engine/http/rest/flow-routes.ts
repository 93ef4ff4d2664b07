import type * as z from "zod/v4";
import { EmitEdges, InvokeEdges, StreamEdges, TopicEdges, WaitEdges } from "../../contract/topics.ts";
import type { FlowEdge, FlowKind } from "../../store/flow.ts";
import { route, type RestRoute } from "./route.ts";

const edges = (kind: FlowKind, summary: string, answer: z.ZodType, shape: (edge: FlowEdge) => object) =>
  route({
    method: "GET",
    path: `/api/v1/flow/${kind}-edges`,
    summary,
    answer,
    run: ({ core, environment }) => ({ edges: core.store.flow.edges(environment.id, kind).map(shape) }),
  });

/** What the flow map is drawn from, section 2.14. */
export const flowRoutes: RestRoute[] = [
  edges("emit", "Which function emits which event", EmitEdges, ({ source, target }) => ({
    event: target,
    function_id: source,
  })),
  edges("invoke", "Which function invokes which", InvokeEdges, ({ source, target }) => ({
    parent_function_id: source,
    child_function_id: target,
  })),
  edges(
    "stream",
    "Which events are appended to entities of which type",
    StreamEdges,
    ({ source, target }) => ({
      entity_type: source,
      event: target,
    }),
  ),
  edges("topic", "Which function publishes on which topic", TopicEdges, ({ source, target }) => ({
    function_id: source,
    topic: target,
  })),
  edges("wait", "Which function waits for which event", WaitEdges, ({ source, target }) => ({
    event_name: target,
    function_id: source,
  })),
];
