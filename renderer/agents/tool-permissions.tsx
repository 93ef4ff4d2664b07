import { useEffect, useState } from "react";
import { ExtraPermission } from "../../electron/contract/tokens.ts";
import { dataOf } from "../store/reading.ts";
import { Button } from "../ui/button.tsx";
import { NamedChoice } from "../ui/choice.tsx";
import { Field, TextInput } from "../ui/field.tsx";
import { useApp } from "../ui/use-app.ts";
import type { ToolPermissions } from "./agents-slice.ts";
import styles from "./tool-permissions.module.css";

/** Tools that need one more permission than their own: who has it not does not see them. */
export function ToolPermissionsSection() {
  const reading = useApp((state) => state.toolPermissions);
  const read = useApp((state) => state.readToolPermissions);
  useEffect(() => void read(), [read]);
  const known = dataOf(reading);
  return (
    <section className={styles.section} aria-label="Permissions of single tools">
      <h2 className={styles.title}>Permissions of single tools</h2>
      <p className={styles.about}>
        Put a permission of your own on a tool, for example mcp.line3, and give it to the tokens that may use
        the tool. Others do not see it.
      </p>
      {reading.phase === "failed" && <p role="alert">{reading.problem.error}</p>}
      {known !== undefined && <Editor known={known} />}
    </section>
  );
}

function Editor({ known }: { known: ToolPermissions }) {
  const put = useApp((state) => state.setToolPermission);
  const names = known.tools.map(({ name }) => ({ value: name, label: name }));
  const [tool, setTool] = useState(names[0]?.value ?? "");
  const [permission, setPermission] = useState("");
  const [problem, setProblem] = useState<string | null>(null);

  async function apply(name: string, wanted: string | null) {
    const parsed = ExtraPermission.nullable().safeParse(wanted);
    if (!parsed.success)
      return setProblem(`It must be ${parsed.error.issues[0]?.message ?? "another name"}.`);
    const error = await put(name, parsed.data);
    setProblem(error?.error ?? null);
    if (error === null && wanted !== null) setPermission("");
  }

  return (
    <>
      <ul className={styles.list}>
        {Object.entries(known.extra).map(([name, needed]) => (
          <li key={name} className={styles.row} data-extra-permission={name}>
            <code className={styles.name}>{name}</code>
            <span className={styles.needed}>{needed}</span>
            <Button
              look="quiet"
              aria-label={`Take the permission ${needed} off ${name}`}
              onClick={() => void apply(name, null)}
            >
              Take off
            </Button>
          </li>
        ))}
      </ul>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          void apply(tool, permission.trim());
        }}
      >
        <NamedChoice label="Tool" value={tool} options={names} onChange={setTool} />
        <div className={styles.needs}>
          <Field label="Needs also" problem={problem}>
            {(ids) => (
              <TextInput
                ids={ids}
                mono
                value={permission}
                maxLength={64}
                placeholder="mcp.line3"
                onChange={setPermission}
              />
            )}
          </Field>
        </div>
        <div className={styles.beside}>
          <Button type="submit">Put it on</Button>
        </div>
      </form>
    </>
  );
}
