import { ChevronsDownUp } from "lucide-react";
import { useMemo, useState } from "react";
import { OmittedPayload } from "../../mcp/contract/domain.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { jsonText, kindOf, measureJson } from "./exact.ts";
import { JsonTree } from "./json-tree.tsx";
import styles from "./json-view.module.css";

/** Above either of these a payload is not opened by itself. */
const GATE = { nodes: 50_000, chars: 2_000_000 } as const;
/** Where counting stops: enough to say "very large". */
const COUNT = { nodes: 1_000_000, chars: 50_000_000 } as const;

/** A payload as a tree that keeps every digit. A very large one is opened only when a person says so. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const [opened, setOpened] = useState<unknown>(undefined);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const size = useMemo(() => measureJson(value, COUNT), [value]);
  if (kindOf(value) === "absent") return <p className={styles.none}>None</p>;
  const omitted = OmittedPayload.safeParse(value);
  if (omitted.success) {
    const { bytes, reason } = omitted.data.$omitted;
    return (
      <p className={styles.none}>
        Not shown: {bytes.toLocaleString("en")} bytes. {reason}
      </p>
    );
  }
  const large = size.nodes > GATE.nodes || size.chars > GATE.chars;
  const gated = large && opened !== value;

  function toggle(path: string) {
    setToggled((before) => {
      const after = new Set(before);
      if (!after.delete(path)) after.add(path);
      return after;
    });
  }

  return (
    <div className={styles.view}>
      <div className={styles.tools}>
        {toggled.size > 0 && (
          <Button
            look="quiet"
            aria-label={`Show ${label} as at first`}
            title="Show as at first"
            icon={<ChevronsDownUp aria-hidden="true" size={14} />}
            onClick={() => setToggled(new Set())}
          />
        )}
        <CopyButton label={`Copy ${label} as JSON`} text={() => jsonText(value)} />
      </div>
      {gated ? (
        <div className={styles.gate}>
          <p>
            Large: {size.more ? "more than " : ""}
            {size.nodes.toLocaleString("en")} values, about{" "}
            {Math.ceil(size.chars / 1_000).toLocaleString("en")} thousand characters.
          </p>
          <Button onClick={() => setOpened(value)}>Show it</Button>
        </div>
      ) : (
        <JsonTree value={value} label={label} toggled={toggled} onToggle={toggle} />
      )}
    </div>
  );
}
