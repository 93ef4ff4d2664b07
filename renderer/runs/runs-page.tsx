import { useEffect, useMemo } from "react";
import { formatRoute } from "../store/route.ts";
import { goTo, goToFiltered } from "../store/navigation.ts";
import { dataOf } from "../store/reading.ts";
import { Page } from "../ui/page.tsx";
import { Split } from "../ui/split.tsx";
import { useApp } from "../ui/use-app.ts";
import { useWide } from "../ui/use-wide.ts";
import { WINDOW_WORDS } from "../store/time-window.ts";
import { readRunFilters, runFiltersQuery, type RunFilters } from "./run-filters.ts";
import { FoundRuns } from "./found-runs.tsx";
import { RunPane } from "./run-pane.tsx";
import { RunsFilters } from "./runs-filters.tsx";
import { RunsList } from "./runs-list.tsx";

const TYPED = ["search", "event", "text"];

/** Every run that passes the filters, and beside it the one that is open. */
export function RunsPage() {
  const query = useApp((state) => state.route.query);
  const openId = useApp((state) => state.route.id);
  const open = useApp((state) => state.openRuns);
  const total = useApp((state) => dataOf(state.runs)?.total);
  const wide = useWide();
  // One value for the same filters, so that opening a run does not read the list anew.
  const key = JSON.stringify(query);
  const filters = useMemo(() => readRunFilters(JSON.parse(key) as typeof query), [key]);
  const finding = filters.text.trim() !== "";
  useEffect(() => (finding ? undefined : open(filters)), [open, filters, finding]);

  const go = (id: string | null) => goTo(formatRoute("runs", id, query));
  const change = (next: RunFilters) => goToFiltered("runs", openId, query, runFiltersQuery(next), TYPED);
  const compact = wide && openId !== null;
  const list = finding ? (
    <FoundRuns filters={filters} openId={openId} compact={compact} onOpen={go} />
  ) : (
    <RunsList filters={filters} openId={openId} compact={compact} onOpen={go} onFilters={change} />
  );
  const pane = openId === null ? null : <RunPane key={openId} runId={openId} onClose={() => go(null)} />;
  if (!wide && pane !== null) {
    return (
      <>
        <h1 className="visually-hidden">Runs</h1>
        {pane}
      </>
    );
  }
  return (
    <Page
      title="Runs"
      note={
        total === undefined || finding
          ? undefined
          : `${total.toLocaleString("en")}, ${WINDOW_WORDS[filters.window].toLowerCase()}`
      }
      tools={<RunsFilters filters={filters} onChange={change} />}
    >
      <Split list={list} detail={pane} />
    </Page>
  );
}
