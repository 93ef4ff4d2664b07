import type * as z from "zod/v4";

/** The first thing that is wrong, with its field: `size.cols: Too small: expected number to be >=2`. */
export function problemOf(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "not understood";
  const field = issue.path.map(String).join(".");
  // What is wrong with a key is one level down.
  const message = (issue.code === "invalid_key" ? issue.issues[0]?.message : undefined) ?? issue.message;
  return field === "" ? message : `${field}: ${message}`;
}
