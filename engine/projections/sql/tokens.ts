/** What SQL text is cut into. Blanks and comments are left out. */
export interface Token {
  kind: "word" | "name" | "text" | "placeholder" | "parameter" | "other";
  /** As it stands in the statement. */
  text: string;
  /** Of a word, lower case; of a quoted name, what is between the quotes; of a placeholder, without its colon. */
  value: string;
  /** Nothing stood between it and the token before. */
  glued: boolean;
}

/**
 * As SQLite cuts it: what is never closed reaches to the end, so no character is looked at twice. A colon and a name with
 * dots is a placeholder of ours (`:data.total`); SQLite's own parameters have no dots.
 */
const pattern =
  /(?<blank>[ \t\n\f\r]+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<text>'[^']*(?:''[^']*)*(?:'|$))|(?<name>"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:``[^`]*)*(?:`|$)|\[[^\]]*(?:\]|$))|:(?<placeholder>[A-Za-z_]\w*(?:\.[\w$]+)*)|(?<parameter>[?@$#:][\w$:]*)|(?<word>[\p{L}_][\p{L}\p{N}_$]*)|(?<other>[0-9][\w.]*|[\s\S])/gu;

export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  let glued = false;
  for (const match of sql.matchAll(pattern)) {
    const [text] = match;
    const groups = match.groups ?? {};
    if (groups["blank"] === undefined) tokens.push({ ...tokenOf(text, groups), text, glued });
    glued = groups["blank"] === undefined;
  }
  return tokens;
}

function tokenOf(text: string, groups: Record<string, string | undefined>): Pick<Token, "kind" | "value"> {
  if (groups["text"] !== undefined) return { kind: "text", value: text };
  if (groups["name"] !== undefined) return { kind: "name", value: unquote(text) };
  if (groups["placeholder"] !== undefined) return { kind: "placeholder", value: groups["placeholder"] };
  if (groups["parameter"] !== undefined) return { kind: "parameter", value: text };
  return groups["word"] === undefined
    ? { kind: "other", value: text }
    : { kind: "word", value: text.toLowerCase() };
}

function unquote(text: string): string {
  const quote = text[0] ?? "";
  const inner = text.slice(1, -1);
  return quote === "[" ? inner : inner.replaceAll(quote + quote, quote);
}

/** The statements of a text, without empty ones. */
export function statementsOf(sql: string): Token[][] {
  const statements: Token[][] = [[]];
  for (const token of tokensOf(sql)) {
    if (token.kind === "other" && token.text === ";") statements.push([]);
    else statements.at(-1)?.push(token);
  }
  return statements.filter((statement) => statement.length > 0);
}

/** Whether a text can stand between parentheses without ending them: no second statement, nothing left open or closed. */
export function isOnePart(sql: string): boolean {
  let open = 0;
  for (const { kind, text } of tokensOf(sql)) {
    if (kind === "text" || kind === "name") {
      const end = text.startsWith("[") ? "]" : text[0];
      if (text.length < 2 || !text.endsWith(end ?? "")) return false;
    }
    if (kind !== "other") continue;
    if (text === "(") open += 1;
    if (text === ")") open -= 1;
    if (text === ";" || open < 0) return false;
  }
  return open === 0 && !/\/\*(?![\s\S]*\*\/)/.test(sql);
}
