/**
 * NATS-style match of a dotted name: `*` stands for exactly one token, `>` at the end for one or more.
 * Everything else is compared literally.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  const wanted = pattern.split(".");
  const tokens = name.split(".");
  for (const [index, token] of wanted.entries()) {
    if (token === ">" && index === wanted.length - 1) return tokens.length > index;
    if (index >= tokens.length || (token !== "*" && token !== tokens[index])) return false;
  }
  return tokens.length === wanted.length;
}

/** `matchesPattern` for topics, whose kind (`events:`) is not part of the dotted name: `events:>` means every event. */
export function matchesTopic(pattern: string, topic: string): boolean {
  const kind = topic.slice(0, topic.indexOf(":") + 1);
  return pattern.startsWith(kind)
    ? matchesPattern(pattern.slice(kind.length), topic.slice(kind.length))
    : matchesPattern(pattern, topic);
}

export function isPattern(text: string): boolean {
  return text.split(".").some((token) => token === "*" || token === ">");
}
