import type * as z from "zod/v4";
import type { TimeZoneChoice } from "../../electron/contract/ipc.ts";

export type Zone = z.output<typeof TimeZoneChoice>;

const LOCAL = new Intl.DateTimeFormat().resolvedOptions().timeZone;

const formats = new Map<string, Intl.DateTimeFormat>();

// Making a format costs a thousand times what using one does.
function formatOf(timeZone: string, withMs: boolean): Intl.DateTimeFormat {
  const key = `${timeZone} ${withMs}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    year: "numeric",
    month: "short",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    ...(withMs && { fractionalSecondDigits: 3 as const }),
    hourCycle: "h23",
    timeZoneName: "shortOffset",
  });
  formats.set(key, made);
  return made;
}

export type ShownTime = {
  /** `30 Nov`, with the year where it is not this one. */
  readonly date: string;
  /** `14:03:22` or `14:03:22.114` */
  readonly clock: string;
  /** `UTC` or `UTC+1`: never left out. */
  readonly zone: string;
};

/** An instant as it reads in a zone. `timeZone` is an IANA name; it is a parameter for tests. */
export function showTime(
  ms: number,
  options: { zone: Zone; withMs: boolean; nowMs: number; timeZone?: string },
): ShownTime {
  const timeZone = options.zone === "utc" ? "UTC" : (options.timeZone ?? LOCAL);
  const parts = partsOf(formatOf(timeZone, options.withMs), ms);
  const thisYear = partsOf(formatOf(timeZone, options.withMs), options.nowMs)["year"];
  const year = parts["year"] === thisYear ? "" : ` ${parts["year"]}`;
  const fraction = options.withMs ? `.${parts["fractionalSecond"]}` : "";
  return {
    date: `${parts["day"]} ${parts["month"]}${year}`,
    clock: `${parts["hour"]}:${parts["minute"]}:${parts["second"]}${fraction}`,
    zone: zoneLabel(parts["timeZoneName"] ?? "", options.zone),
  };
}

/** `GMT+1` as `UTC+1`; local time that happens to be UTC says `UTC+0`, so that the choice can be told. */
function zoneLabel(name: string, zone: Zone): string {
  if (zone === "utc") return "UTC";
  const offset = name.replace(/^(GMT|UTC)/, "");
  return `UTC${offset === "" ? "+0" : offset.replace("-", "−")}`;
}

function partsOf(format: Intl.DateTimeFormat, ms: number): Record<string, string> {
  const parts: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(ms)) parts[type] = value;
  return parts;
}

/** The zone's label now, for headings and menus. */
export const zoneName = (zone: Zone, nowMs: number): string =>
  showTime(nowMs, { zone, withMs: false, nowMs }).zone;

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const two = (n: number) => String(n).padStart(2, "0");

/** `87 ms`, `3.21 s`, `1 min 04 s`, `2 h 05 min`, `3 d 4 h`. Negative spans (clocks that disagree) read as 0. */
export function showDuration(ms: number): string {
  const span = Math.max(0, ms);
  if (span < SECOND_MS) return `${Math.round(span)} ms`;
  if (span < 10 * SECOND_MS) return `${(Math.floor(span / 10) / 100).toFixed(2)} s`;
  if (span < MINUTE_MS) return `${(Math.floor(span / 100) / 10).toFixed(1)} s`;
  if (span < HOUR_MS)
    return `${Math.floor(span / MINUTE_MS)} min ${two(Math.floor((span % MINUTE_MS) / SECOND_MS))} s`;
  if (span < DAY_MS)
    return `${Math.floor(span / HOUR_MS)} h ${two(Math.floor((span % HOUR_MS) / MINUTE_MS))} min`;
  return `${Math.floor(span / DAY_MS)} d ${Math.floor((span % DAY_MS) / HOUR_MS)} h`;
}

/** How long ago, in one unit: `just now`, `12 s ago`, `3 min ago`; `in 40 s` for what is to come. */
export function showAge(atMs: number, nowMs: number): string {
  const span = nowMs - atMs;
  const size = Math.abs(span);
  if (size < 2 * SECOND_MS) return "just now";
  const text =
    size < MINUTE_MS
      ? `${Math.floor(size / SECOND_MS)} s`
      : size < HOUR_MS
        ? `${Math.floor(size / MINUTE_MS)} min`
        : size < DAY_MS
          ? `${Math.floor(size / HOUR_MS)} h`
          : `${Math.floor(size / DAY_MS)} d`;
  return span < 0 ? `in ${text}` : `${text} ago`;
}
