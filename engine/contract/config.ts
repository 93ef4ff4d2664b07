import * as z from "zod/v4";

/** Configurations on the wire, section 2.10: documents with a name, in camelCase. */
export const ConfigName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, "must be letters, digits, - and _, at most 128");

const entry = { name: z.string(), revision: z.number().int(), updatedAt: z.string() };
export const ConfigDocument = z.looseObject({ ...entry, data: z.looseObject({}) });
export const ListConfigResponse = z.looseObject({ configs: z.array(z.looseObject(entry)).default([]) });
/** A frame of the watch; a deleted configuration has no data. */
export const ConfigUpdateFrame = z.looseObject({
  type: z.literal("config_update"),
  operation: z.enum(["put", "delete"]),
  ...entry,
  data: z.looseObject({}).nullable(),
});
export type ConfigUpdateFrame = z.infer<typeof ConfigUpdateFrame>;
export const ConfigSetResponse = z.looseObject({ name: z.string(), revision: z.number().int() });
