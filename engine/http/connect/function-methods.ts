import * as z from "zod/v4";
import { fromWireEnum } from "../../contract/enums.ts";
import { FunctionId } from "../../contract/ids.ts";
import { RegisterFunctionRequest } from "../../contract/register.ts";
import { toFunctionConfig } from "../../execute/function-config.ts";
import { announceFunction } from "../../execute/notices.ts";
import { FunctionStatusText, plainText, unsetEnum } from "../fields.ts";
import { pageOfFunctions } from "../function-list.ts";
import { listPage, readFunction } from "../reads.ts";
import { connectFunction } from "../shapes.ts";
import { method, type ConnectMethod } from "./method.ts";

const List = z.strictObject({
  status: z
    .union([
      FunctionStatusText,
      z
        .string()
        .refine(unsetEnum)
        .transform(() => undefined),
    ])
    .optional(),
  limit: z.number().int().min(0).max(1000).optional(),
  cursor: z.string().max(1024).optional(),
  offset: z.number().int().min(0).max(1_000_000).optional(),
  name: plainText(256).optional(),
  mode: plainText(64).optional(),
});

export const functionMethods: Record<string, ConnectMethod> = {
  RegisterFunction: method(
    RegisterFunctionRequest,
    async ({ core, environment }, input) => {
      const config = toFunctionConfig(input);
      const answer = await core.writer.write((tx) => {
        const result = core.registry.register(tx, environment.id, input.id, config, input.changeReason ?? "");
        if (result.changed) {
          announceFunction(core, tx, result.function.row, result.created ? "created" : "updated");
          // A new endpoint has a breaker of its own: runs that were deferred may go on there.
          tx.afterCommit(() => core.dispatcher.wake(environment.id, input.id));
        }
        return result;
      });
      return { function: connectFunction(answer.function), created: answer.created };
    },
    ["metadata"],
  ),
  GetFunction: method(z.strictObject({ id: FunctionId }), (call, { id }) =>
    connectFunction(readFunction(call, id)),
  ),
  ListFunctions: method(List, ({ core, environment }, input) => {
    const mode =
      input.mode === undefined || unsetEnum(input.mode) ? undefined : fromWireEnum("mode", input.mode);
    const page = pageOfFunctions(
      core.registry.list(environment.id),
      { status: input.status, name: input.name || undefined, mode },
      listPage(input, 100),
    );
    return {
      functions: page.functions.map(connectFunction),
      nextCursor: page.nextCursor,
      totalCount: page.total,
    };
  }),
  UpdateFunctionStatus: method(
    z.strictObject({ id: FunctionId, status: FunctionStatusText }),
    async ({ core, environment }, { id, status }) => {
      const fn = await core.writer.write((tx) => {
        const updated = core.registry.setStatus(tx, environment.id, id, status);
        announceFunction(core, tx, updated.row, "updated");
        return updated;
      });
      return connectFunction(fn);
    },
  ),
};
