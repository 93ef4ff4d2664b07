import * as z from "zod/v4";

/** Projects, environments and connected pull workers on the wire, sections 2.7 and 2.8. The first two are bare arrays. */
export const RestProject = z.looseObject({
  id: z.string(),
  name: z.string().default(""),
  org_id: z.string().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});
export type RestProject = z.infer<typeof RestProject>;

export const RestEnvironment = z.looseObject({
  id: z.string(),
  name: z.string().default(""),
  color: z.string().optional(),
  project_id: z.string().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});
export type RestEnvironment = z.infer<typeof RestEnvironment>;

export const RestDeleted = z.looseObject({ deleted: z.boolean() });

export const RestWorker = z.looseObject({
  id: z.string(),
  hostname: z.string().default(""),
  function_ids: z.array(z.string()).nullish(),
  active_jobs: z.number().int().default(0),
  max_concurrent: z.number().int().default(0),
  labels: z.record(z.string(), z.string()).nullish(),
  transport: z.string().optional(),
  version: z.looseObject({ sdk: z.string().optional(), runtime: z.string().optional() }).nullish(),
  registered_at: z.string().optional(),
  last_heartbeat: z.string().optional(),
});
export type RestWorker = z.infer<typeof RestWorker>;

export const ListWorkersResponse = z.looseObject({
  workers: z.array(RestWorker).nullish(),
  count: z.number().int().default(0),
});
