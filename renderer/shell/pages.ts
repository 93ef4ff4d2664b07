import {
  Bot,
  FlaskConical,
  LayoutDashboard,
  MailX,
  Parentheses,
  Radio,
  ScrollText,
  Settings,
  ShieldCheck,
  ShieldX,
  SquareTerminal,
  Workflow,
  type LucideIcon,
} from "lucide-react";
import { lazy, type ComponentType } from "react";
import { AgentsPage } from "../agents/agents-page.tsx";
import { ApprovalsPage } from "../approvals/approvals-page.tsx";
import { AuditPage } from "../audit/audit-page.tsx";
import { BreakersPage } from "../breakers/breakers-page.tsx";
import { DeadLettersPage } from "../dead-letters/dead-letters-page.tsx";
import { EventsPage } from "../events/events-page.tsx";
import { FunctionsPage } from "../functions/functions-page.tsx";
import { OverviewPage } from "../overview/overview-page.tsx";
import { ProbePage } from "../probe/probe-page.tsx";
import { RunsPage } from "../runs/runs-page.tsx";
import { SettingsPage } from "../settings/settings-page.tsx";
import type { Page } from "../store/route.ts";

/** The terminal emulator is half of all code here, and most windows never show it. */
const TerminalsPage = lazy(async () => {
  const { TerminalsPage: page } = await import("../terminals/terminals-page.tsx");
  return { default: page };
});

export type PageEntry = {
  readonly page: Page;
  readonly title: string;
  readonly icon: LucideIcon;
  readonly view: ComponentType;
  /** True where the page shows nothing of an engine, and so works without one. */
  readonly standsAlone?: boolean;
};

/** Every page there is, as the navigation groups them. */
export const GROUPS: readonly { readonly title: string; readonly pages: readonly PageEntry[] }[] = [
  {
    title: "Engine",
    pages: [
      { page: "overview", title: "Overview", icon: LayoutDashboard, view: OverviewPage },
      { page: "runs", title: "Runs", icon: Workflow, view: RunsPage },
      { page: "events", title: "Events", icon: Radio, view: EventsPage },
      { page: "functions", title: "Functions", icon: Parentheses, view: FunctionsPage },
    ],
  },
  {
    title: "Needs attention",
    pages: [
      { page: "dead-letters", title: "Dead letters", icon: MailX, view: DeadLettersPage },
      { page: "breakers", title: "Circuit breakers", icon: ShieldX, view: BreakersPage },
    ],
  },
  {
    title: "Agents",
    pages: [
      { page: "terminals", title: "Terminals", icon: SquareTerminal, view: TerminalsPage, standsAlone: true },
      { page: "agents", title: "Agents", icon: Bot, view: AgentsPage, standsAlone: true },
      { page: "approvals", title: "Approvals", icon: ShieldCheck, view: ApprovalsPage, standsAlone: true },
      { page: "audit", title: "Audit", icon: ScrollText, view: AuditPage, standsAlone: true },
      { page: "probe", title: "Test as an agent", icon: FlaskConical, view: ProbePage, standsAlone: true },
    ],
  },
  {
    title: "App",
    pages: [{ page: "settings", title: "Settings", icon: Settings, view: SettingsPage, standsAlone: true }],
  },
];

export const entryOf = (page: Page): PageEntry | undefined =>
  GROUPS.flatMap(({ pages }) => pages).find((entry) => entry.page === page);
