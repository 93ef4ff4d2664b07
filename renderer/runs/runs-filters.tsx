import { useEffect } from "react";
import { dataOf } from "../store/reading.ts";
import { Choice, MultiChoice } from "../ui/choice.tsx";
import { ClearFilters } from "../ui/clear-filters.tsx";
import { SearchBox } from "../ui/search-box.tsx";
import { WindowChoice } from "../ui/window-choice.tsx";
import { statusesOf, statusLook } from "../ui/status-words.ts";
import { Status } from "../ui/status.tsx";
import { useApp } from "../ui/use-app.ts";
import { idFilter, isFiltered, type RunFilters } from "./run-filters.ts";

const STATUSES = statusesOf("run").map((value) => ({
  value,
  label: statusLook("run", value).word,
  icon: <Status kind="run" status={value} iconOnly />,
}));
const EVERY = "";

export function RunsFilters({
  filters,
  onChange,
}: {
  filters: RunFilters;
  onChange: (next: RunFilters) => void;
}) {
  const openFunctions = useApp((state) => state.openFunctions);
  const rows = useApp((state) => dataOf(state.functions)?.rows);
  useEffect(() => openFunctions(), [openFunctions]);
  const names = new Set([
    ...(rows ?? []).map(({ id }) => id),
    ...(filters.functionId ? [filters.functionId] : []),
  ]);
  const functions = [
    { value: EVERY, label: "All functions" },
    ...[...names].sort().map((value) => ({ value, label: value })),
  ];
  return (
    <>
      {isFiltered(filters) && (
        <ClearFilters
          onClear={() =>
            onChange({
              status: [],
              functionId: "",
              search: "",
              text: "",
              eventId: "",
              window: filters.window,
            })
          }
        />
      )}
      <SearchBox
        label="Search by run id, or by a whole event id"
        placeholder="Run or event id"
        value={filters.eventId === "" ? filters.search : filters.eventId}
        onChange={(typed) => onChange({ ...filters, ...idFilter(typed) })}
      />
      <SearchBox
        label="Search in event name, input, output and error"
        placeholder="Event name or text"
        value={filters.text}
        onChange={(text) => onChange({ ...filters, text })}
      />
      <MultiChoice
        label="Status"
        all="Any status"
        value={filters.status}
        options={STATUSES}
        onChange={(status) => onChange({ ...filters, status })}
      />
      <Choice
        label="Function"
        value={filters.functionId}
        options={functions}
        onChange={(functionId) => onChange({ ...filters, functionId })}
      />
      <WindowChoice value={filters.window} onChange={(window) => onChange({ ...filters, window })} />
    </>
  );
}
