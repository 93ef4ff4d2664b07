import type { ReactNode } from "react";
import { Group, Panel, Separator } from "react-resizable-panels";
import styles from "./split.module.css";
import { useWide } from "./use-wide.ts";

/** A list and what is open in it: side by side where there is room, else one in the place of the other. */
export function Split({ list, detail }: { list: ReactNode; detail: ReactNode | null }) {
  const wide = useWide();
  if (!wide) return detail ?? list;
  return (
    <Group className={styles.group}>
      <Panel id="list" minSize="360px" className={styles.panel}>
        {list}
      </Panel>
      {detail !== null && (
        <>
          <Separator className={styles.separator} aria-label="Resize the list" />
          <Panel id="detail" defaultSize="54%" minSize="420px" className={styles.panel}>
            {detail}
          </Panel>
        </>
      )}
    </Group>
  );
}
