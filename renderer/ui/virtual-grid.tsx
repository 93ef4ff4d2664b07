import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { activeIndex, elementKeys, type ActiveRow } from "./active-row.ts";
import { keyTarget } from "./grid-keys.ts";
import { useRows } from "./use-rows.ts";
import styles from "./virtual-grid.module.css";

export type Column = {
  readonly key: string;
  readonly title: string;
  /** A grid track: `120px`, `minmax(80px, 1fr)`. */
  readonly width: string;
  readonly align?: "end";
};

const ROW_PX = 34;
/** A box ends at 2^25 device pixels; this many rows fit at twice the density, and nobody scrolls further. */
export const MAX_ROWS = 400_000;

/**
 * A long list with one tab stop: arrow keys, Page Up and Down, Home and End move, Enter or a click opens. Only rows on
 * screen exist. `row` gives the cells, or null while a row is not loaded yet; its key names the record, which the keys and
 * a click stay on while others come above it.
 */
export function VirtualGrid(props: {
  label: string;
  /** What a row is, in one word; its key is in `data-<what>-id`. */
  what: string;
  columns: readonly Column[];
  count: number;
  row: (index: number) => { readonly key: string; readonly cells: readonly ReactNode[] } | null;
  onOpen?: ((index: number) => void) | undefined;
  /** The key of the row that is open beside the list. */
  openKey?: string | null;
  onRange?: (range: { first: number; last: number }) => void;
  /** True while the first row is out of sight. */
  onScrolled?: (scrolled: boolean) => void;
}) {
  const { columns, onRange, onScrolled } = props;
  const count = Math.min(props.count, MAX_ROWS);
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState<ActiveRow>({ index: 0 });

  const virtual = useRows({ count, scroller, rowPx: ROW_PX, headPx: ROW_PX, overscan: 8 });
  const items = virtual
    .getVirtualItems()
    .map(({ index, start }) => ({ index, start, row: props.row(index) }));
  const shown = items.map(({ index, row }) => ({ index, key: row?.key }));
  const keys = elementKeys(shown);
  const activeRow = activeIndex(active, shown, count);
  // Where its record is now is where it is looked for when it is out of sight.
  if (active.index !== activeRow) setActive({ ...active, index: activeRow });
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const scrolled = (virtual.scrollOffset ?? 0) > ROW_PX / 2;

  useEffect(() => onRange?.({ first, last }), [onRange, first, last]);
  useEffect(() => onScrolled?.(scrolled), [onScrolled, scrolled]);
  const goTo = (index: number) => setActive({ index, key: props.row(index)?.key });

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget) return;
    if (event.key === "Enter" && count > 0) return props.onOpen?.(activeRow);
    const visibleRows = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX) - 2);
    const next = keyTarget(event, activeRow, count, visibleRows);
    if (next === undefined) return;
    event.preventDefault();
    goTo(next);
    virtual.scrollToIndex(next);
  }

  const template = { gridTemplateColumns: columns.map(({ width }) => width).join(" ") };
  const activeShown = activeRow >= first && activeRow <= last && count > 0;
  return (
    <div
      ref={scroller}
      className={styles.grid}
      role="grid"
      aria-label={props.label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length}
      aria-activedescendant={activeShown ? `${id}-${activeRow}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      onFocus={() => {
        if (active.key === undefined && count > 0) goTo(activeRow);
      }}
    >
      <div role="rowgroup" className={styles.body} style={{ height: virtual.getTotalSize() }}>
        <div role="row" aria-rowindex={1} className={styles.head} style={template}>
          {columns.map(({ key, title, align }) => (
            <span key={key} role="columnheader" className={styles.cell} data-align={align}>
              {title}
            </span>
          ))}
        </div>
        {items.map(({ index, start, row }, at) => {
          return (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the grid itself takes the keys
            <div
              key={keys[at]}
              id={`${id}-${index}`}
              role="row"
              aria-rowindex={index + 2}
              aria-selected={row !== null && row.key === props.openKey}
              aria-busy={row === null}
              className={styles.row}
              data-active={index === activeRow}
              {...(row !== null && { [`data-${props.what}-id`]: row.key })}
              data-opens={props.onOpen !== undefined}
              style={{ ...template, transform: `translateY(${start}px)` }}
              onClick={() => {
                goTo(index);
                if (row !== null) props.onOpen?.(index);
              }}
            >
              {columns.map(({ key, align }, cell) => (
                <span key={key} role="gridcell" className={styles.cell} data-align={align}>
                  {row === null ? <span className={styles.bone} /> : row.cells[cell]}
                </span>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}
