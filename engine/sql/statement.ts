/**
 * A query that gets no answer: it is no such statement (`invalid`), wants what nobody may have (`denied`), needs more memory
 * than there is for it (`too-large`), or failed while it ran (`failed`).
 */
export class SqlRefusal extends Error {
  override readonly name = "SqlRefusal";
  readonly reason: "invalid" | "denied" | "too-large" | "failed";
  constructor(reason: SqlRefusal["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * Blanks and comments, quoted things, words, and any other single character; as SQLite's tokenizer cuts them. What is never
 * closed reaches to the end, so no character is looked at twice.
 */
const token =
  /(?<blank>[ \t\n\f\r]+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|'[^']*(?:''[^']*)*(?:'|$)|"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:``[^`]*)*(?:`|$)|\[[^\]]*(?:\]|$)|[\p{L}_][\p{L}\p{N}_$]*|[\s\S]/gu;

/**
 * Lets through one statement that begins with SELECT or WITH. The driver compiles the first statement of a text and forgets
 * the rest, so the rest is refused here; what the statement may touch is up to the authorizer.
 * @throws SqlRefusal
 */
export function checkStatement(sql: string): void {
  let first: string | undefined;
  let ended = false;
  for (const match of sql.matchAll(token)) {
    if (match.groups?.["blank"] !== undefined) continue;
    if (match[0] === ";") {
      ended = true;
      continue;
    }
    if (ended) throw new SqlRefusal("invalid", "query: must be one statement");
    first ??= match[0].toLowerCase();
  }
  if (first !== "select" && first !== "with") {
    throw new SqlRefusal("invalid", "query: must begin with SELECT or WITH");
  }
}
