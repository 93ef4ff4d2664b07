import { MessageCircleQuestion } from "lucide-react";
import { PanicButton } from "../approvals/panic-button.tsx";
import { THEMES, ZONES } from "../settings/choices.tsx";
import { PaletteButton } from "../palette/palette-button.tsx";
import { Button } from "../ui/button.tsx";
import { Choice } from "../ui/choice.tsx";
import { Mark } from "../ui/mark.tsx";
import { useApp } from "../ui/use-app.ts";
import { ConnectionBadge } from "./connection-badge.tsx";
import styles from "./topbar.module.css";

export function Topbar() {
  const { theme, time_zone } = useApp((state) => state.settings);
  const change = useApp((state) => state.changeSettings);
  const waiting = useApp((state) => state.waitingQuestions);
  const showQuestion = useApp((state) => state.showQuestion);
  // While something waits its button takes the room of these names: the engine's address keeps its own.
  const shrinks = waiting > 0 ? "unless-wide" : "narrow";
  return (
    <header className={styles.topbar}>
      <div className={styles.brand}>
        <Mark />
        <span className={styles.name}>Ironbridge</span>
      </div>
      <ConnectionBadge />
      <div className={styles.controls} data-asked={waiting > 0}>
        {waiting > 0 && (
          <Button
            look="primary"
            icon={<MessageCircleQuestion aria-hidden="true" size={14} />}
            onClick={showQuestion}
          >
            {waiting === 1 ? "1 question waits" : `${waiting} questions wait`}
          </Button>
        )}
        <PaletteButton />
        <PanicButton />
        <Choice
          label="Time zone"
          look="quiet"
          shrinks={shrinks}
          icon={ZONES.find(({ value }) => value === time_zone)?.icon}
          value={time_zone}
          options={ZONES}
          onChange={(value) => void change({ time_zone: value })}
        />
        <Choice
          label="Theme"
          look="quiet"
          shrinks={shrinks}
          icon={THEMES.find(({ value }) => value === theme)?.icon}
          value={theme}
          options={THEMES}
          onChange={(value) => void change({ theme: value })}
        />
      </div>
    </header>
  );
}
