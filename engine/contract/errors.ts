import * as z from "zod/v4";

/** Connect error codes with the HTTP status of each (section 1.4). */
export const CONNECT_STATUS = {
  canceled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  aborted: 409,
  out_of_range: 400,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  data_loss: 500,
  unauthenticated: 401,
} as const;

export type ConnectCode = keyof typeof CONNECT_STATUS;

export const ConnectCode = z.enum(Object.keys(CONNECT_STATUS) as [ConnectCode, ...ConnectCode[]]);

/** Body of a failed Connect call. */
export const ConnectErrorBody = z.object({
  code: ConnectCode,
  message: z.string(),
  details: z.array(z.unknown()).optional(),
});
export type ConnectErrorBody = z.infer<typeof ConnectErrorBody>;

/** Body of a failed REST call (section 1.3). Newer engines add `code` and `message`. */
export const RestErrorBody = z.object({
  error: z.string().optional(),
  message: z.string().optional(),
  code: z.string().optional(),
});
export type RestErrorBody = z.infer<typeof RestErrorBody>;
