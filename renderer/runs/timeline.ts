import type { Run, Step } from "../../mcp/contract/domain.ts";

/** What a step did in a stretch of time: worked, or was put off until a time or an event. */
export type BarKind = "work" | "sleep" | "wait";
/** A stretch on the axis; `left` and `width` are fractions of it. `open` = it goes on now. */
export type Bar = {
  readonly kind: BarKind;
  readonly left: number;
  readonly width: number;
  readonly open: boolean;
};
/** ms since the epoch. */
export type Axis = { readonly from: number; readonly to: number };
export type Tick = { readonly at: number; readonly offsetMs: number };

const MIN_SPAN_MS = 10;
/** A bar never gets so thin that it cannot be seen. */
const MIN_WIDTH = 0.004;

const ms = (time: string | undefined): number | undefined => {
  const value = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(value) ? undefined : value;
};

/** The stretch of time that a run's steps are drawn on. A run that goes on ends now. */
export function axisOf(run: Run, steps: readonly Step[], nowMs: number): Axis {
  let from = Math.min(ms(run.started_at) ?? nowMs, ms(run.created_at) ?? nowMs);
  let to = ms(run.ended_at) ?? (isOver(run) ? (ms(run.updated_at) ?? from) : nowMs);
  for (const step of steps) {
    from = Math.min(from, ms(step.started_at) ?? from);
    to = Math.max(to, ms(step.ended_at) ?? to);
  }
  return { from, to: Math.max(to, from + MIN_SPAN_MS) };
}

/** Nothing of the run moves any more until somebody acts. */
export const isOver = (run: Pick<Run, "status">): boolean =>
  ["completed", "failed", "cancelled", "paused"].includes(run.status);

/** The bar of one step, or null when it has not begun. */
export function barOf(step: Step, run: Run, axis: Axis, nowMs: number): Bar | null {
  const start = ms(step.started_at) ?? ms(step.created_at);
  if (start === undefined || step.status === "pending") return null;
  const measured = step.duration_ms === undefined ? undefined : start + step.duration_ms;
  const end = ms(step.ended_at) ?? measured;
  const open = end === undefined && !isOver(run);
  const until = end ?? (open ? nowMs : axis.to);
  const span = axis.to - axis.from;
  const left = clamp((start - axis.from) / span);
  const width = Math.max(MIN_WIDTH, clamp((until - axis.from) / span) - left);
  return { kind: kindOf(step), left: Math.min(left, 1 - MIN_WIDTH), width, open };
}

function kindOf({ step_type }: Step): BarKind {
  if (step_type === "sleep") return "sleep";
  return step_type === "wait_for_event" ? "wait" : "work";
}

const clamp = (fraction: number): number => Math.min(1, Math.max(0, fraction));

const NICE_MS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000,
  600_000, 900_000, 1_800_000, 3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000, 86_400_000,
  172_800_000, 604_800_000,
] as const;

/** Round marks on the axis, at most `most` of them, the start left out. */
export function ticksOf({ from, to }: Axis, most: number): readonly Tick[] {
  const span = to - from;
  const last = NICE_MS.at(-1) ?? span;
  const step = NICE_MS.find((nice) => span / nice <= most) ?? Math.ceil(span / most / last) * last;
  const ticks: Tick[] = [];
  for (let offsetMs = step; offsetMs < span; offsetMs += step) ticks.push({ at: offsetMs / span, offsetMs });
  return ticks;
}

/** `+200 ms`, `+5 s`, `+2 min`, `+1 h`, `+3 d`: marks are round, so one unit is enough. */
export function tickLabel(offsetMs: number): string {
  if (offsetMs < 1_000) return `+${offsetMs} ms`;
  if (offsetMs < 60_000) return `+${offsetMs / 1_000} s`;
  if (offsetMs < 3_600_000) return `+${offsetMs / 60_000} min`;
  if (offsetMs < 86_400_000) return `+${offsetMs / 3_600_000} h`;
  return `+${offsetMs / 86_400_000} d`;
}
