import { toTimestamp } from "../../clock.ts";
import {
  AckEventRequest,
  CreateGroupRequest,
  GroupRequest,
  ListGroupsRequest,
  UpdateGroupRequest,
} from "../../contract/consumer-groups.ts";
import { JsonText } from "../../json/json-text.ts";
import { createGroup, deleteGroup, findGroup, updateGroup } from "../../pubsub/groups.ts";
import type { GroupRow } from "../../store/consumer-groups.ts";
import type { Call } from "../call.ts";
import { int64Text } from "../protojson.ts";
import { method, type ConnectMethod } from "./method.ts";

const groupsPerPage = 100;

const shape = ({ core }: Call, row: GroupRow): Record<string, unknown> => ({
  id: row.id,
  namespace: "default",
  name: row.name,
  pattern: row.pattern,
  filterExpr: row.filter_expr,
  ackMode: `ACK_MODE_${row.ack_mode.toUpperCase()}`,
  backpressure: `BACKPRESSURE_MODE_${row.backpressure.toUpperCase()}`,
  maxInflight: row.max_inflight,
  maxRedeliveries: row.max_redeliveries,
  redeliverDelayMs: row.redeliver_delay_ms,
  metadata: row.metadata === null ? undefined : new JsonText(row.metadata),
  status: `CONSUMER_GROUP_STATUS_${row.status.toUpperCase()}`,
  memberCount: core.groups.members(row.id),
  // Ours: what is not acknowledged, and what there was no room for.
  waiting: int64Text(row.waiting),
  dropped: int64Text(row.dropped),
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
});

/** The part of `ironflow.v1.PubSubService` that is about consumer groups, section 2.14. */
export const groupMethods: Record<string, ConnectMethod> = {
  CreateConsumerGroup: method(
    CreateGroupRequest,
    async (call, input) => {
      const { core, environment } = call;
      return shape(call, await core.writer.write((tx) => createGroup(core, tx, environment.id, input)));
    },
    ["metadata"],
  ),
  GetConsumerGroup: method(GroupRequest, (call, { name }) =>
    shape(call, findGroup(call.core, call.environment.id, name)),
  ),
  ListConsumerGroups: method(ListGroupsRequest, (call, input) => {
    const { core, environment } = call;
    const limit = input.limit || groupsPerPage;
    const filter = { environmentId: environment.id, status: input.status, afterName: input.cursor ?? "" };
    const rows = core.store.groups.list(filter, limit + 1);
    const shown = rows.slice(0, limit);
    return {
      groups: shown.map((row) => shape(call, row)),
      nextCursor: rows.length > limit ? shown.at(-1)?.name : "",
      totalCount: core.store.groups.count(environment.id, input.status),
    };
  }),
  UpdateConsumerGroup: method(
    UpdateGroupRequest,
    async (call, input) => {
      const { core, environment } = call;
      return shape(call, await core.writer.write((tx) => updateGroup(core, tx, environment.id, input)));
    },
    ["metadata"],
  ),
  DeleteConsumerGroup: method(GroupRequest, async ({ core, environment }, { name }) => {
    await core.writer.write((tx) => deleteGroup(core, tx, environment.id, name));
    return {};
  }),
  AckEvent: method(AckEventRequest, async ({ core, environment }, input) => {
    const group = findGroup(core, environment.id, input.groupName);
    await core.writer.write((tx) =>
      core.groups.settle(tx, group.id, {
        member: input.consumerId,
        messageId: input.eventId,
        type: input.ackType ?? "ack",
        redeliverDelayMs: input.redeliverDelayMs,
      }),
    );
    return {};
  }),
};
