import * as z from "zod/v4";

/** Secrets on the wire, section 2.9. A value goes in and never comes out, but to functions that declared its name. */

export const SECRET_LIMITS = { valueBytes: 65_536, perEnvironment: 1_000 } as const;

/** The names become environment variables and subject tokens. */
export const SecretName = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_-]{0,127}$/,
    "must be letters, digits, _ and -, at most 128, and begin with a letter or _",
  );

/** No message about it may repeat it. */
const SecretValue = z
  .string({ error: "must be a text" })
  .min(1, "must not be empty")
  .refine((text) => !/\p{Cs}/u.test(text), "must be valid Unicode")
  .refine(
    (text) => new TextEncoder().encode(text).length <= SECRET_LIMITS.valueBytes,
    `must not be over ${SECRET_LIMITS.valueBytes} bytes`,
  );

const description = z.string().max(4096).nullish();

export const CreateSecretRequest = z.strictObject({ name: SecretName, value: SecretValue, description });
export const UpdateSecretRequest = z.strictObject({ value: SecretValue, description });
export const PatchSecretRequest = z.strictObject({ name: SecretName.nullish(), description });

/** `GET /api/v1/secrets` answers a bare array of these. */
export const RestSecret = z.looseObject({
  name: z.string(),
  revision: z.number().int().default(1),
  description: z.string().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
});
export type RestSecret = z.infer<typeof RestSecret>;
