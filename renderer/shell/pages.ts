import { Workflow, type LucideIcon } from "lucide-react";
import type { ComponentType } from "react";
import { RunsPage } from "../runs/runs-page.tsx";
import type { Page } from "../store/route.ts";

export type PageEntry = {
  readonly page: Page;
  readonly title: string;
  readonly icon: LucideIcon;
  readonly view: ComponentType;
};

/** Every page there is, as the navigation groups them. */
export const GROUPS: readonly { readonly title: string; readonly pages: readonly PageEntry[] }[] = [
  { title: "Engine", pages: [{ page: "runs", title: "Runs", icon: Workflow, view: RunsPage }] },
];

export const entryOf = (page: Page): PageEntry | undefined =>
  GROUPS.flatMap(({ pages }) => pages).find((entry) => entry.page === page);
