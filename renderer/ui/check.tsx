import { Checkbox } from "@base-ui/react/checkbox";
import { Radio } from "@base-ui/react/radio";
import { RadioGroup } from "@base-ui/react/radio-group";
import { Check as Tick } from "lucide-react";
import { useId, type ReactNode } from "react";
import styles from "./check.module.css";

/** Boxes to tick that belong together, under their name. */
export function Checks({ legend, children }: { legend: string; children: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      <legend>{legend}</legend>
      {children}
    </fieldset>
  );
}

/** One box to tick, with what it means. */
export function Check(props: {
  title: string;
  text?: string;
  on: boolean;
  /** It stays as it is. */
  fixed?: boolean;
  onChange: (on: boolean) => void;
}) {
  return (
    <label className={styles.line}>
      <Checkbox.Root
        className={styles.box}
        checked={props.on}
        disabled={props.fixed === true}
        onCheckedChange={(on) => props.onChange(on)}
      >
        <Checkbox.Indicator className={styles.tick}>
          <Tick aria-hidden="true" size={12} strokeWidth={3} />
        </Checkbox.Indicator>
      </Checkbox.Root>
      <span>
        <strong>{props.title}</strong>
        {props.text !== undefined && <span className={styles.about}>{props.text}</span>}
      </span>
    </label>
  );
}

/** One of a few, all of them in sight. */
export function Radios<V extends string>(props: {
  legend: string;
  value: V;
  options: readonly { readonly value: V; readonly label: string }[];
  onChange: (value: V) => void;
}) {
  const id = useId();
  return (
    <div className={styles.group}>
      <span id={id} className={styles.legend}>
        {props.legend}
      </span>
      <RadioGroup
        className={styles.group}
        aria-labelledby={id}
        value={props.value}
        onValueChange={(value) => props.onChange(value)}
      >
        {props.options.map(({ value, label }) => (
          <label key={value} className={styles.line}>
            <Radio.Root value={value} className={styles.round}>
              <Radio.Indicator className={styles.dot} />
            </Radio.Root>
            {label}
          </label>
        ))}
      </RadioGroup>
    </div>
  );
}
