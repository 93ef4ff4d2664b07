import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleHelp,
  CirclePause,
  CircleX,
  Hourglass,
  Keyboard,
  type LucideIcon,
  Moon,
  RotateCw,
  ShieldAlert,
  ShieldCheck,
  ShieldX,
  TimerOff,
} from "lucide-react";
import { statusLook, type StatusIcon, type StatusKind, type StatusLook } from "./status-words.ts";
import styles from "./status.module.css";

const ICONS: Record<StatusIcon, LucideIcon> = {
  check: CircleCheck,
  cross: CircleX,
  running: CircleDot,
  paused: CirclePause,
  queued: CircleDashed,
  waiting: Hourglass,
  sleeping: Moon,
  stopped: Ban,
  retrying: RotateCw,
  "timed-out": TimerOff,
  keyboard: Keyboard,
  "shield-open": ShieldX,
  "shield-half": ShieldAlert,
  "shield-closed": ShieldCheck,
  unknown: CircleHelp,
};

/** Icon and word of a status. `iconOnly` keeps the word for screen readers. */
export function Status({ kind, status, iconOnly }: { kind: StatusKind; status: string; iconOnly?: boolean }) {
  return <Look look={statusLook(kind, status)} iconOnly={iconOnly ?? false} />;
}

export function Look({ look, iconOnly = false }: { look: StatusLook; iconOnly?: boolean }) {
  const Icon = ICONS[look.icon];
  return (
    <span className={styles.status} data-tone={look.tone} data-running={look.icon === "running"}>
      <Icon aria-hidden="true" size={14} strokeWidth={2.2} />
      <span className={iconOnly ? "visually-hidden" : styles.word}>{look.word}</span>
    </span>
  );
}
