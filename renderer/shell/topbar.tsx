import { Clock, Monitor, Moon, Sun } from "lucide-react";
import { Choice } from "../ui/choice.tsx";
import { Mark } from "../ui/mark.tsx";
import { zoneName } from "../ui/time-format.ts";
import { useApp } from "../ui/use-app.ts";
import { ConnectionBadge } from "./connection-badge.tsx";
import styles from "./topbar.module.css";

const THEMES = [
  { value: "system", label: "System theme", icon: <Monitor aria-hidden="true" size={14} /> },
  { value: "dark", label: "Dark", icon: <Moon aria-hidden="true" size={14} /> },
  { value: "light", label: "Light", icon: <Sun aria-hidden="true" size={14} /> },
] as const;

const ZONES = [
  { value: "local", label: `Local time (${zoneName("local", Date.now())})` },
  { value: "utc", label: "UTC" },
] as const;

export function Topbar() {
  const { theme, time_zone } = useApp((state) => state.settings);
  const change = useApp((state) => state.changeSettings);
  return (
    <header className={styles.topbar}>
      <div className={styles.brand}>
        <Mark />
        <span className={styles.name}>Ironbridge</span>
      </div>
      <ConnectionBadge />
      <div className={styles.controls}>
        <Choice
          label="Time zone"
          look="quiet"
          icon={<Clock aria-hidden="true" size={14} />}
          value={time_zone}
          options={ZONES}
          onChange={(value) => void change({ time_zone: value })}
        />
        <Choice
          label="Theme"
          look="quiet"
          icon={THEMES.find(({ value }) => value === theme)?.icon}
          value={theme}
          options={THEMES}
          onChange={(value) => void change({ theme: value })}
        />
      </div>
    </header>
  );
}
