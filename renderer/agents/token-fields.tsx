import { useEffect } from "react";
import type { TerminalPolicy } from "../../electron/contract/tokens.ts";
import { dataOf } from "../store/reading.ts";
import { Check, Checks, Radios } from "../ui/check.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { useApp } from "../ui/use-app.ts";
import { readLimit, type LimitText } from "./limit-text.ts";
import { GRANTS, grantsTerminals } from "./permissions.ts";
import { POLICY_OPTIONS } from "./terminal-policy-words.ts";
import styles from "./token-dialog.module.css";

/** What a token may, how often, and whether its commands are asked about. */
export function TokenFields(props: {
  chosen: ReadonlySet<string>;
  onChosen: (chosen: ReadonlySet<string>) => void;
  limit: LimitText;
  onLimit: (limit: LimitText) => void;
  policy: TerminalPolicy;
  onPolicy: (policy: TerminalPolicy) => void;
}) {
  const { chosen, onChosen, limit, onLimit, policy, onPolicy } = props;
  const own = useOwnPermissions();
  const read = readLimit(limit);
  const known = new Set<string>(GRANTS.map(({ permission }) => permission));
  const others = [...new Set([...own, ...chosen])].filter((permission) => !known.has(permission)).sort();
  const toggle = (permission: string, on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(permission);
    else next.delete(permission);
    onChosen(next);
  };
  return (
    <>
      <Checks legend="It may">
        {GRANTS.map(({ permission, title, text, always }) => (
          <Check
            key={permission}
            title={title}
            text={text}
            on={chosen.has(permission)}
            fixed={always && chosen.has(permission)}
            onChange={(on) => toggle(permission, on)}
          />
        ))}
        {others.map((permission) => (
          <Check
            key={permission}
            title={permission}
            text={own.includes(permission) ? "Tools on which you put this permission." : "Given before."}
            on={chosen.has(permission)}
            onChange={(on) => toggle(permission, on)}
          />
        ))}
      </Checks>
      {[...chosen].some(grantsTerminals) && (
        <Radios legend="Its commands" value={policy} options={POLICY_OPTIONS} onChange={onPolicy} />
      )}
      <div className={styles.limit}>
        <Field
          label="Calls at most"
          hint="Empty: as many as it likes."
          problem={read.ok ? null : read.problem}
        >
          {(ids) => (
            <TextInput
              ids={ids}
              value={limit.calls}
              maxLength={7}
              placeholder="no limit"
              onChange={(calls) => onLimit({ ...limit, calls })}
            />
          )}
        </Field>
        <Field label="In so many seconds" hint="Counted from the first call.">
          {(ids) => (
            <TextInput
              ids={ids}
              value={limit.seconds}
              maxLength={5}
              onChange={(seconds) => onLimit({ ...limit, seconds })}
            />
          )}
        </Field>
      </div>
    </>
  );
}

/** The permissions that the person put on single tools. */
function useOwnPermissions(): readonly string[] {
  const reading = useApp((state) => state.toolPermissions);
  const read = useApp((state) => state.readToolPermissions);
  useEffect(() => void read(), [read]);
  return [...new Set(Object.values(dataOf(reading)?.extra ?? {}))];
}
