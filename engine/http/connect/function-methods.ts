import * as z from "zod/v4";
import { fromWireEnum } from "../../contract/enums.ts";
import { FunctionId } from "../../contract/ids.ts";
import { RegisterFunctionRequest } from "../../contract/register.ts";
import { ApiError } from "../../errors.ts";
import { toFunctionConfig } from "../../execute/function-config.ts";
import {
  deleteFunction,
  registerFunction,
  rollbackFunction,
  setFunctionStatus,
} from "../../execute/functions.ts";
import { FunctionStatusText, plainText, unsetEnum } from "../fields.ts";
import { pageOfFunctions } from "../function-list.ts";
import { listPage, readFunction } from "../reads.ts";
import { connectFunction, connectFunctionVersion } from "../shapes.ts";
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

const maxVersion = 2_147_483_647;
const version = z.number().int().min(0).max(maxVersion);

export const functionMethods: Record<string, ConnectMethod> = {
  RegisterFunction: method(
    RegisterFunctionRequest,
    async ({ core, environment }, input) => {
      const config = toFunctionConfig(input);
      const answer = await core.writer.write((tx) =>
        registerFunction(core, tx, environment.id, input.id, config, input.changeReason ?? ""),
      );
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
      const fn = await core.writer.write((tx) => setFunctionStatus(core, tx, environment.id, id, status));
      return connectFunction(fn);
    },
  ),
  DeleteFunction: method(z.strictObject({ id: FunctionId }), async ({ core, environment }, { id }) => {
    await core.writer.write((tx) => deleteFunction(core, tx, environment.id, id));
    return {};
  }),
  ListFunctionHistory: method(
    z.strictObject({
      functionId: FunctionId,
      limit: z.number().int().min(0).max(1000).optional(),
      fromVersion: version.optional(),
    }),
    ({ core, environment }, input) => {
      const { functions } = core.store;
      const limit = input.limit === undefined || input.limit === 0 ? 50 : input.limit;
      const from =
        input.fromVersion === undefined || input.fromVersion === 0 ? maxVersion : input.fromVersion;
      const rows = functions.history(environment.id, input.functionId, from, limit);
      if (rows.length === 0 && functions.countVersions(environment.id, input.functionId) === 0) {
        throw new ApiError("not_found", `function ${input.functionId} not found`);
      }
      return {
        versions: rows.map(connectFunctionVersion),
        totalCount: functions.countVersions(environment.id, input.functionId),
      };
    },
  ),
  GetFunctionAtVersion: method(
    z.strictObject({ functionId: FunctionId, version }),
    ({ core, environment }, input) => {
      const row = core.store.functions.version(environment.id, input.functionId, input.version);
      if (row === undefined) {
        throw new ApiError("not_found", `function ${input.functionId} has no version ${input.version}`);
      }
      return connectFunctionVersion(row);
    },
  ),
  RollbackFunction: method(
    z.strictObject({ functionId: FunctionId, version, changeReason: plainText(1024).optional() }),
    async ({ core, environment }, input) => {
      const answer = await core.writer.write((tx) =>
        rollbackFunction(
          core,
          tx,
          environment.id,
          input.functionId,
          input.version,
          input.changeReason || `rollback to version ${input.version}`,
        ),
      );
      return { function: connectFunction(answer) };
    },
  ),
};
