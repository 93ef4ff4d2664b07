const unitMs: Record<string, number> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

const maxDurationMs = 10 * 365 * 86_400_000;

/** `7d`, `1h30m`, `1.5s` as ms; undefined when the text is no duration or longer than ten years. */
export function parseDurationMs(text: string): number | undefined {
  if (text.length > 64 || !/^(\d+(\.\d+)?(ms|s|m|h|d|w))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, , unit] of text.matchAll(/(\d+(\.\d+)?)(ms|s|m|h|d|w)/g)) {
    total += Number(amount) * (unitMs[unit ?? ""] ?? 0);
  }
  return total <= maxDurationMs ? Math.round(total) : undefined;
}
