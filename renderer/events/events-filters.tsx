import { ClearFilters } from "../ui/clear-filters.tsx";
import { SearchBox } from "../ui/search-box.tsx";
import { WindowChoice } from "../ui/window-choice.tsx";
import { isEventFiltered, type EventFilters } from "./event-filters.ts";

export function EventsFilters(props: { filters: EventFilters; onChange: (next: EventFilters) => void }) {
  const { filters, onChange } = props;
  return (
    <>
      {isEventFiltered(filters) && (
        <ClearFilters onClear={() => onChange({ name: "", search: "", window: filters.window })} />
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
      <WindowChoice value={filters.window} onChange={(window) => onChange({ ...filters, window })} />
    </>
  );
}
