import { Select } from "@base-ui/react/select";
import { Check, ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import styles from "./choice.module.css";

export type Option<V extends string> = {
  readonly value: V;
  readonly label: string;
  readonly icon?: ReactNode;
};

/** One of a few. The label is the control's name and is not drawn where the value speaks for itself. */
export function Choice<V extends string>(props: {
  label: string;
  value: V;
  options: readonly Option<V>[];
  onChange: (value: V) => void;
  icon?: ReactNode;
  look?: "plain" | "quiet";
  /** Where the icon has to do: in a narrow window, or in any but a wide one. */
  shrinks?: "narrow" | "unless-wide";
}) {
  return (
    <Select.Root
      items={[...props.options]}
      value={props.value}
      onValueChange={(value) => {
        if (value !== null) props.onChange(value);
      }}
    >
      <Trigger label={props.label} look={props.look ?? "plain"} shrinks={props.shrinks}>
        {props.icon}
        <Select.Value className={styles.value} />
      </Trigger>
      <Options options={props.options} />
    </Select.Root>
  );
}

/** The same with its name above it, level with a `Field` beside it. */
export function NamedChoice<V extends string>(props: {
  label: string;
  hint?: string;
  value: V;
  options: readonly Option<V>[];
  onChange: (value: V) => void;
}) {
  return (
    <div className={styles.named}>
      {/* The control has the same name for a screen reader. */}
      <span className={styles.name} aria-hidden="true">
        {props.label}
      </span>
      <Choice {...props} />
      {props.hint !== undefined && <p className={styles.hint}>{props.hint}</p>}
    </div>
  );
}

/** Any number of a few; none of them means all, and then `all` is shown. */
export function MultiChoice<V extends string>(props: {
  label: string;
  all: string;
  value: readonly V[];
  options: readonly Option<V>[];
  onChange: (value: V[]) => void;
}) {
  const words = new Map(props.options.map(({ value, label }) => [value, label]));
  return (
    <Select.Root multiple value={[...props.value]} onValueChange={(value: V[]) => props.onChange(value)}>
      <Trigger label={props.label} look="plain" set={props.value.length > 0}>
        <Select.Value className={styles.value}>
          {(chosen: readonly V[]) =>
            chosen.length === 0 ? props.all : chosen.map((value) => words.get(value) ?? value).join(", ")
          }
        </Select.Value>
      </Trigger>
      <Options options={props.options} />
    </Select.Root>
  );
}

function Trigger(props: {
  label: string;
  look: "plain" | "quiet";
  set?: boolean;
  shrinks?: "narrow" | "unless-wide" | undefined;
  children: ReactNode;
}) {
  return (
    <Select.Trigger
      className={styles.trigger}
      aria-label={props.label}
      data-look={props.look}
      data-shrinks={props.shrinks}
      data-set={props.set}
    >
      {props.children}
      <Select.Icon className={styles.arrow}>
        <ChevronDown aria-hidden="true" size={14} />
      </Select.Icon>
    </Select.Trigger>
  );
}

function Options<V extends string>({ options }: { options: readonly Option<V>[] }) {
  return (
    // Inside a landmark, so that a screen reader's map of the page has it.
    <Select.Portal container={document.getElementById("menus")}>
      <Select.Positioner
        className={styles.positioner}
        sideOffset={4}
        alignItemWithTrigger={false}
        align="start"
      >
        <Select.Popup className={styles.popup}>
          <Select.List className={styles.list}>
            {options.map(({ value, label, icon }) => (
              <Select.Item key={value} value={value} className={styles.item}>
                <span className={styles.tick}>
                  <Select.ItemIndicator>
                    <Check aria-hidden="true" size={14} />
                  </Select.ItemIndicator>
                </span>
                {icon !== undefined && <span aria-hidden="true">{icon}</span>}
                <Select.ItemText>{label}</Select.ItemText>
              </Select.Item>
            ))}
          </Select.List>
        </Select.Popup>
      </Select.Positioner>
    </Select.Portal>
  );
}
