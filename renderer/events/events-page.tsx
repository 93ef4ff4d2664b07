import { Send } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { useRefusal } from "../actions/use-refusal.ts";
import { goTo, goToFiltered } from "../store/navigation.ts";
import { formatRoute } from "../store/route.ts";
import { Button } from "../ui/button.tsx";
import { Page } from "../ui/page.tsx";
import { Split } from "../ui/split.tsx";
import { useApp } from "../ui/use-app.ts";
import { useWide } from "../ui/use-wide.ts";
import { EmitDialog } from "./emit-dialog.tsx";
import { eventFiltersQuery, readEventFilters, type EventFilters } from "./event-filters.ts";
import { EventPane } from "./event-pane.tsx";
import { EventsFilters } from "./events-filters.tsx";
import { EventsList } from "./events-list.tsx";

/** Every event that passes the filters, and beside it the one that is open. */
export function EventsPage() {
  const query = useApp((state) => state.route.query);
  const openId = useApp((state) => state.route.id);
  const open = useApp((state) => state.openEvents);
  const refused = useRefusal();
  const [emitting, setEmitting] = useState(false);
  const wide = useWide();
  const key = JSON.stringify(query);
  const filters = useMemo(() => readEventFilters(JSON.parse(key) as typeof query), [key]);
  useEffect(() => open(filters), [open, filters]);

  const go = (id: string | null) => goTo(formatRoute("events", id, query));
  const change = (next: EventFilters) =>
    goToFiltered("events", openId, query, eventFiltersQuery(next), ["name", "search"]);
  const pane = openId === null ? null : <EventPane key={openId} eventId={openId} onClose={() => go(null)} />;
  if (!wide && pane !== null) {
    return (
      <>
        <h1 className="visually-hidden">Events</h1>
        {pane}
      </>
    );
  }
  return (
    <Page
      title="Events"
      tools={
        <>
          <EventsFilters filters={filters} onChange={change} />
          <Button
            look="primary"
            refused={refused}
            icon={<Send aria-hidden="true" size={14} />}
            onClick={() => setEmitting(true)}
          >
            Emit event
          </Button>
        </>
      }
    >
      <Split
        list={
          <EventsList
            filters={filters}
            openId={openId}
            compact={wide && openId !== null}
            onOpen={go}
            onFilters={change}
          />
        }
        detail={pane}
      />
      {emitting && <EmitDialog onClose={() => setEmitting(false)} />}
    </Page>
  );
}
