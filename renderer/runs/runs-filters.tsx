import { X } from "lucide-react";
import { useEffect } from "react";
import { dataOf } from "../store/reading.ts";
import { Button } from "../ui/button.tsx";
import { Choice, MultiChoice } from "../ui/choice.tsx";
import { SearchBox } from "../ui/search-box.tsx";
import { statusesOf, statusLook } from "../ui/status-words.ts";
import { Status } from "../ui/status.tsx";
import { useApp } from "../ui/use-app.ts";
import { isFiltered, WINDOW_WORDS, WINDOWS, type RunFilters } from "./run-filters.ts";

const STATUSES = statusesOf("run").map((value) => ({
  value,
  label: statusLook("run", value).word,
  icon: <Status kind="run" status={value} iconOnly />,
}));
const PERIODS = WINDOWS.map((value) => ({ value, label: WINDOW_WORDS[value] }));
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
        <Button
          look="quiet"
          icon={<X aria-hidden="true" size={14} />}
          onClick={() =>
            onChange({ status: [], functionId: "", search: "", eventId: "", window: filters.window })
          }
        >
          Clear filters
        </Button>
      )}
      <SearchBox
        label="Search by run id"
        placeholder="Run id"
        value={filters.search}
        onChange={(search) => onChange({ ...filters, search })}
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
      <Choice
        label="Time window"
        value={filters.window}
        options={PERIODS}
        onChange={(window) => onChange({ ...filters, window })}
      />
    </>
  );
}
