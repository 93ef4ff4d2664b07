import { EnginesSection } from "../engines/engines-section.tsx";
import { Choice } from "../ui/choice.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { Facts } from "../ui/facts.tsx";
import { Page } from "../ui/page.tsx";
import { Section, Sections } from "../ui/sections.tsx";
import { useApp } from "../ui/use-app.ts";
import { THEMES, ZONES } from "./choices.tsx";
import { ConnectionSection } from "./connection-section.tsx";
import styles from "./settings-page.module.css";

export function SettingsPage() {
  const { theme, time_zone } = useApp((state) => state.settings);
  const change = useApp((state) => state.changeSettings);
  const problem = useApp((state) => state.settingsProblem);
  return (
    <Page title="Settings">
      <Sections label="Settings">
        <Section title="Look and time">
          <div className={styles.row}>
            <span>Theme</span>
            <div>
              {" "}
              <Choice
                label="Theme"
                value={theme}
                options={THEMES}
                onChange={(value) => void change({ theme: value })}
              />
            </div>
          </div>
          <div className={styles.row}>
            <span>Times are shown in</span>
            <div>
              {" "}
              <Choice
                label="Time zone"
                value={time_zone}
                options={ZONES}
                onChange={(value) => void change({ time_zone: value })}
              />
            </div>
          </div>
          {problem !== null && (
            <p role="alert" className={styles.problem}>
              It could not be kept: {problem}
            </p>
          )}
        </Section>
        <EnginesSection />
        <ConnectionSection />
        <AboutSection />
      </Sections>
    </Page>
  );
}

function AboutSection() {
  const info = useApp((state) => state.info);
  if (info === null) return null;
  return (
    <Section title="About">
      <Facts
        facts={[
          { name: "App", value: `${info.name} ${info.version}` },
          { name: "Electron", value: info.electron },
          { name: "System", value: info.platform },
          {
            name: "Agents connect to",
            value: (
              <span className={styles.address}>
                <code>{info.mcp_url}</code>
                <CopyButton label="Copy the address for agents" text={() => info.mcp_url} />
              </span>
            ),
          },
        ]}
      />
    </Section>
  );
}
