import { WINDOW_WORDS, WINDOWS, type TimeWindow } from "../store/time-window.ts";
import { Choice } from "./choice.tsx";

const PERIODS = WINDOWS.map((value) => ({ value, label: WINDOW_WORDS[value] }));

/** How far back a list looks. */
export function WindowChoice(props: { value: TimeWindow; onChange: (window: TimeWindow) => void }) {
  return <Choice label="Time window" value={props.value} options={PERIODS} onChange={props.onChange} />;
}
