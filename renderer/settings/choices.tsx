import { Clock, Globe, Monitor, Moon, Sun } from "lucide-react";
import { zoneName } from "../ui/time-format.ts";

export const THEMES = [
  { value: "system", label: "System theme", icon: <Monitor aria-hidden="true" size={14} /> },
  { value: "dark", label: "Dark", icon: <Moon aria-hidden="true" size={14} /> },
  { value: "light", label: "Light", icon: <Sun aria-hidden="true" size={14} /> },
] as const;

export const ZONES = [
  {
    value: "local",
    label: `Local time (${zoneName("local", Date.now())})`,
    icon: <Clock aria-hidden="true" size={14} />,
  },
  { value: "utc", label: "UTC", icon: <Globe aria-hidden="true" size={14} /> },
] as const;
