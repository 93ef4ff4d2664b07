import { X } from "lucide-react";
import { WINDOW_WORDS, WINDOWS } from "../runs/run-filters.ts";
import { Button } from "../ui/button.tsx";
import { Choice } from "../ui/choice.tsx";
import { SearchBox } from "../ui/search-box.tsx";
import { isEventFiltered, type EventFilters } from "./event-filters.ts";

const PERIODS = WINDOWS.map((value) => ({ value, label: WINDOW_WORDS[value] }));

export function EventsFilters(props: { filters: EventFilters; onChange: (next: EventFilters) => void }) {
  const { filters, onChange } = props;
  return (
    <>
      {isEventFiltered(filters) && (
        <Button
          look="quiet"
          icon={<X aria-hidden="true" size={14} />}
          onClick={() => onChange({ name: "", search: "", window: filters.window })}
        >
          Clear filters
        </Button>
      )}
      <SearchBox
        label="Event name; several whole names with commas"
        placeholder="Name, or name, name"
        value={filters.name}
        onChange={(name) => onChange({ ...filters, name })}
      />
      <SearchBox
        label="Search by event id"
        placeholder="Event id"
        value={filters.search}
        onChange={(search) => onChange({ ...filters, search })}
      />
      <Choice
        label="Time window"
        value={filters.window}
        options={PERIODS}
        onChange={(window) => onChange({ ...filters, window })}
      />
    </>
  );
}
