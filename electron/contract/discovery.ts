import * as z from "zod/v4";

/**
 * `connection.json` (mode 0600) in the user-data folder: how agents, scripts and tests find a running app. The file is
 * removed on a clean exit and means nothing when its pid is gone.
 */
export const ConnectionFile = z.object({
  version: z.literal(1),
  pid: z.number().int(),
  app: z.object({ name: z.string(), version: z.string(), electron: z.string() }),
  mcp: z.object({ url: z.string(), token_file: z.string() }),
  bridge: z.object({ url: z.string() }).nullable(),
  engine: z.object({ connection: z.string(), kind: z.enum(["embedded", "remote"]), url: z.string() }),
});
export type ConnectionFile = z.infer<typeof ConnectionFile>;
