import { OctagonX } from "lucide-react";
import { useState } from "react";
import { Button } from "../ui/button.tsx";
import { Age } from "../ui/time.tsx";
import { useApp } from "../ui/use-app.ts";
import { PANIC_KEYS } from "./panic-button.tsx";
import styles from "./panic-banner.module.css";

/** Over every page while everything is stopped, and after a start that follows a crash. */
export function PanicBanner() {
  const { stopped, since } = useApp((state) => state.panic);
  const underWay = useApp((state) => state.panicUnderWay);
  const lift = useApp((state) => state.liftPanic);
  const problem = useApp((state) => state.approvalsProblem);
  return (
    <>
      {stopped && (
        <div className={styles.banner} role="alert">
          <OctagonX aria-hidden="true" size={18} />
          <p className={styles.text}>
            <strong>Everything is stopped.</strong> Terminals were ended, questions refused, and agents only
            read{" "}
            {since !== undefined && (
              <>
                (<Age at={since} />)
              </>
            )}
            .{problem !== null && <span> {problem}</span>}
          </p>
          <Button
            refused={underWay === "lifting" ? "It waits for your approval" : undefined}
            onClick={() => void lift()}
          >
            Let agents act again
          </Button>
        </div>
      )}
      <ShortcutLost />
      <LeftOpen />
    </>
  );
}

/** Whoever relies on the shortcut has to know that it does nothing here. */
function ShortcutLost() {
  const lost = useApp((state) => state.shortcutLost);
  const take = useApp((state) => state.takeShortcut);
  const [seen, setSeen] = useState(false);
  if (lost !== true || seen) return null;
  return (
    <div className={styles.notice} role="status">
      <p className={styles.text}>
        <strong>{PANIC_KEYS} does not stop everything: another program has this shortcut.</strong> The button
        Stop everything, above, does.
      </p>
      <Button onClick={() => void take()}>Try again</Button>
      <Button onClick={() => setSeen(true)}>Understood</Button>
    </div>
  );
}

function LeftOpen() {
  const open = useApp((state) => state.leftOpen);
  const dismiss = useApp((state) => state.dismissLeftOpen);
  const [first] = open;
  if (first === undefined) return null;
  return (
    <div className={styles.notice} role="status">
      <p className={styles.text}>
        <strong>
          {open.length === 1
            ? "A question was open when the app ended without a word."
            : `${open.length} questions were open when the app ended without a word.`}
        </strong>{" "}
        Nothing was changed by {open.length === 1 ? "it" : "them"}:{" "}
        {open.map(({ caller, tool }) => `${caller} asked for ${tool}`).join("; ")}.
      </p>
      <Button onClick={dismiss}>Understood</Button>
    </div>
  );
}
