import { Play } from "lucide-react";
import { useState } from "react";
import { ProbeEra, type ProbeTool, type ProbeView } from "../../electron/contract/probe.ts";
import { JsonView } from "../json/json-view.tsx";
import { Button } from "../ui/button.tsx";
import { Callout } from "../ui/callout.tsx";
import { NamedChoice } from "../ui/choice.tsx";
import { CodeInput, Field, TextInput } from "../ui/field.tsx";
import { useApp } from "../ui/use-app.ts";
import styles from "./probe-call.module.css";
import { argumentsOf, argumentsOfJson, fieldsOf, type FormField, type FormValues } from "./schema-form.ts";

const BOTH = "both";
const ERAS = [
  { value: BOTH, label: "Both eras, one after the other" },
  { value: "handshake", label: "Handshake" },
  { value: "2026-07-28", label: "2026-07-28" },
] as const;

/** A call of one tool, with its arguments in a form or as JSON. */
export function ProbeCallSection({ views }: { views: readonly ProbeView[] }) {
  const tools = [...new Map(views.flatMap((view) => view.tools.map((tool) => [tool.name, tool]))).values()];
  const [name, setName] = useState(tools[0]?.name ?? "");
  const tool = tools.find((one) => one.name === name);
  return (
    <section className={styles.section} aria-label="Call">
      <h2>Call a tool</h2>
      {tool === undefined ? (
        <p className={styles.about}>This agent is offered no tool.</p>
      ) : (
        <>
          <NamedChoice
            label="Tool"
            value={name}
            options={tools.map((one) => ({ value: one.name, label: one.name }))}
            onChange={setName}
          />
          <p className={styles.about}>{tool.description}</p>
          {/* Another tool is another form. */}
          <CallForm key={tool.name} tool={tool} />
        </>
      )}
      <Outcomes />
    </section>
  );
}

function CallForm({ tool }: { tool: ProbeTool }) {
  const call = useApp((state) => state.callProbe);
  const busy = useApp((state) => state.probeCall.phase === "under_way");
  const fields = fieldsOf(tool.inputSchema);
  const [asJson, setAsJson] = useState(fields === null);
  const [era, setEra] = useState<(typeof ERAS)[number]["value"]>(BOTH);
  const [values, setValues] = useState<FormValues>({});
  const [json, setJson] = useState("{}");
  const [problem, setProblem] = useState<string | null>(null);

  function submit() {
    const args = asJson || fields === null ? argumentsOfJson(json) : argumentsOf(fields, values);
    setProblem(args.ok ? null : args.problem);
    if (args.ok && !busy) void call(era === BOTH ? ProbeEra.options : [era], tool.name, args.value);
  }

  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {asJson || fields === null ? (
        <Field label="Arguments" hint="A JSON object." problem={problem}>
          {(ids) => <CodeInput ids={ids} value={json} rows={6} maxLength={1_000_000} onChange={setJson} />}
        </Field>
      ) : (
        <>
          {fields.length === 0 && <p className={styles.about}>It takes no arguments.</p>}
          {fields.map((field) => (
            <FormInput
              key={field.name}
              field={field}
              value={values[field.name] ?? ""}
              onChange={(text) => setValues({ ...values, [field.name]: text })}
            />
          ))}
          {problem !== null && (
            <p className={styles.problem} role="alert">
              {problem}
            </p>
          )}
        </>
      )}
      <NamedChoice label="Eras" value={era} options={ERAS} onChange={setEra} />
      <div className={styles.buttons}>
        <Button
          type="submit"
          look="primary"
          refused={busy ? "A call is under way" : undefined}
          icon={<Play aria-hidden="true" size={14} />}
        >
          Call
        </Button>
        {fields !== null && (
          <Button look="quiet" onClick={() => setAsJson(!asJson)}>
            {asJson ? "Use the form" : "Write JSON"}
          </Button>
        )}
      </div>
    </form>
  );
}

function FormInput(props: { field: FormField; value: string; onChange: (text: string) => void }) {
  const { field, value, onChange } = props;
  const label = field.required ? `${field.name} (needed)` : field.name;
  if (field.kind === "text" || field.kind === "number") {
    return (
      <Field label={label} hint={field.about}>
        {(ids) => <TextInput ids={ids} value={value} maxLength={100_000} mono onChange={onChange} />}
      </Field>
    );
  }
  const options = field.kind === "boolean" ? ["true", "false"] : field.options;
  return (
    <NamedChoice
      label={label}
      {...(field.about === undefined ? {} : { hint: field.about })}
      value={value}
      options={[
        { value: "", label: "left out" },
        ...options.map((option) => ({ value: option, label: option })),
      ]}
      onChange={onChange}
    />
  );
}

function Outcomes() {
  const call = useApp((state) => state.probeCall);
  return (
    <div className={styles.outcomes} role="status">
      {call.phase === "under_way" && (
        <Callout tone="info" title={`${call.tool} is running, or waits for your approval.`} />
      )}
      {call.phase === "refused" && (
        <Callout tone="bad" title="The call was not made.">
          <p>{call.error.error}</p>
        </Callout>
      )}
      {call.phase === "answered" &&
        call.outcomes.map(({ era, result, problem, ms }) => (
          <div key={era} className={styles.outcome}>
            <h3>
              {era}: {ms.toFixed(1)} ms
            </h3>
            {problem === undefined ? (
              <JsonView value={result} label={`the result in ${era}`} />
            ) : (
              <p className={styles.problem}>{problem}</p>
            )}
          </div>
        ))}
    </div>
  );
}
