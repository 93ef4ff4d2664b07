import * as z from "zod/v4";

/** Configurations on the wire, section 2.10: documents with a name, in camelCase. */
export const ConfigName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, "must be letters, digits, - and _, at most 128");

const entry = { name: z.string(), revision: z.number().int(), updatedAt: z.string() };
export const ConfigDocument = z.looseObject({ ...entry, data: z.looseObject({}) });
export const ListConfigResponse = z.looseObject({ configs: z.array(z.looseObject(entry)).default([]) });
export const ConfigSetResponse = z.looseObject({ name: z.string(), revision: z.number().int() });
