/**
 * The name a step has in the code, from its id `{run_id}:{scope…}:{name}:{n}` (engine contract, section 3.3), in which
 * `\` and `:` of names are escaped. Ids of any other form are their own name.
 */
export function stepName(stepId: string, runId: string): string {
  const prefix = `${runId}:`;
  if (!stepId.startsWith(prefix)) return stepId;
  const parts = splitUnescaped(stepId.slice(prefix.length));
  const count = parts.at(-1);
  const name = parts.at(-2);
  if (name === undefined || count === undefined || !/^\d+$/.test(count)) return stepId;
  const before = parts.at(-3);
  // These two prefixes keep their colon unescaped.
  return before === "compensate" || before === "publish" ? `${before}:${name}` : name;
}

/** Splits at colons that no backslash escapes, and takes the escapes out. */
function splitUnescaped(text: string): string[] {
  const parts: string[] = [];
  let part = "";
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "\\" && at + 1 < text.length) {
      at += 1;
      part += text.charAt(at);
    } else if (character === ":") {
      parts.push(part);
      part = "";
    } else {
      part += character;
    }
  }
  return [...parts, part];
}
