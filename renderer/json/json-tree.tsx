import { ChevronDown, ChevronRight } from "lucide-react";
import { useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { keyTarget } from "../ui/grid-keys.ts";
import { useRows } from "../ui/use-rows.ts";
import { jsonRows, type JsonRow } from "./json-rows.ts";
import styles from "./json-tree.module.css";

const ROW_PX = 20;
const INDENT_PX = 16;
const PAGE_ROWS = 12;

/** The lines of a payload. One tab stop: arrows move, right opens, left closes or goes to the parent. */
export function JsonTree(props: {
  value: unknown;
  label: string;
  toggled: ReadonlySet<string>;
  onToggle: (path: string) => void;
}) {
  const { value, toggled, onToggle } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const rows = useMemo(() => jsonRows(value, toggled), [value, toggled]);
  const activeRow = Math.min(active, rows.length - 1);
  const virtual = useRows({
    count: rows.length,
    scroller,
    rowPx: ROW_PX,
    overscan: 10,
    keyOf: (index) => rows[index]?.path ?? index,
  });
  const items = virtual.getVirtualItems();

  function onKeyDown(event: KeyboardEvent) {
    if (event.target !== event.currentTarget) return;
    const row = rows[activeRow];
    if (row === undefined) return;
    const next = sideways(event.key, rows, activeRow) ?? keyTarget(event, activeRow, rows.length, PAGE_ROWS);
    if (isToggle(event.key, row)) onToggle(row.path);
    else if (next === undefined) return;
    else {
      setActive(next);
      virtual.scrollToIndex(next);
    }
    event.preventDefault();
  }

  const shown = items.some(({ index }) => index === activeRow);
  return (
    <div
      ref={scroller}
      role="tree"
      aria-label={props.label}
      aria-activedescendant={shown ? `${id}-${activeRow}` : undefined}
      tabIndex={0}
      className={styles.tree}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" className={styles.body} style={{ height: virtual.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the tree itself takes the keys
            <div
              key={row.path}
              id={`${id}-${index}`}
              ref={virtual.measureElement}
              data-index={index}
              role="treeitem"
              aria-level={row.depth + 1}
              aria-expanded={row.opens ? row.open : undefined}
              aria-selected={index === activeRow}
              className={styles.row}
              data-active={index === activeRow}
              style={{ transform: `translateY(${start}px)`, paddingLeft: 8 + row.depth * INDENT_PX }}
              onClick={() => {
                setActive(index);
                if (row.opens && window.getSelection()?.isCollapsed !== false) onToggle(row.path);
              }}
            >
              <Line row={row} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

function Line({ row }: { row: JsonRow }) {
  const Arrow = row.open ? ChevronDown : ChevronRight;
  const holds = row.kind === "object" || row.kind === "array";
  return (
    <>
      <span className={styles.arrow}>{row.opens && <Arrow aria-hidden="true" size={12} />}</span>
      {row.key !== null && (
        <>
          <span className={typeof row.key === "number" ? styles.index : styles.key}>{row.key}</span>
          <span className={styles.colon}>: </span>
        </>
      )}
      {row.whole === null ? (
        <span className={styles.value} data-kind={row.kind} data-holds={holds && row.opens}>
          {row.text}
        </span>
      ) : (
        <pre className={styles.whole}>{row.whole}</pre>
      )}
    </>
  );
}

const isToggle = (key: string, row: JsonRow): boolean =>
  row.opens &&
  (key === "Enter" ||
    key === " " ||
    (key === "ArrowRight" && !row.open) ||
    (key === "ArrowLeft" && row.open));

/** Left from a closed line leads to its parent, right from an open one to its first member. */
function sideways(key: string, rows: readonly JsonRow[], from: number): number | undefined {
  const row = rows[from];
  if (row === undefined) return undefined;
  if (key === "ArrowRight" && row.open && row.whole === null) return from + 1;
  if (key !== "ArrowLeft") return undefined;
  for (let at = from - 1; at >= 0; at -= 1) if ((rows[at]?.depth ?? 0) < row.depth) return at;
  return undefined;
}
