import { FileWarning } from "lucide-react";
import { hrefTo } from "../store/route.ts";
import { dataOf } from "../store/reading.ts";
import { Button } from "../ui/button.tsx";
import { useApp } from "../ui/use-app.ts";
import styles from "./panic-banner.module.css";

/** Over every page after a start that found a damaged file: what was lost, what is closed for it, and how to mend it. */
export function LossBanner() {
  return (
    <>
      <PermissionsLost />
      <Problems />
    </>
  );
}

function PermissionsLost() {
  const lost = useApp((state) => dataOf(state.toolPermissions)?.lost ?? null);
  const complete = useApp((state) => state.permissionsComplete);
  const problem = useApp((state) => state.permissionsProblem);
  const underWay = useApp((state) => state.permissionsUnderWay);
  const problems = useApp((state) => state.profileProblems);
  if (lost === null) return null;
  const told = problems.includes(lost.problem); // below, at the start that found it
  return (
    <div className={styles.banner} role="alert">
      <FileWarning aria-hidden="true" size={18} />
      <p className={styles.text}>
        <strong>The permissions that you put on single tools were lost.</strong> Until you say that they are
        complete again, only tokens with every permission (mcp.* or *) are offered any tool. Put back what is
        missing on the page <a href={hrefTo("agents")}>Agents</a>.{told ? null : ` ${lost.problem}`}
        {problem !== null && <span> {problem}</span>}
      </p>
      <Button refused={underWay ? "It waits for your approval" : undefined} onClick={() => void complete()}>
        They are complete
      </Button>
    </div>
  );
}

function Problems() {
  const problems = useApp((state) => state.profileProblems);
  const dismiss = useApp((state) => state.dismissProblems);
  if (problems.length === 0) return null;
  return (
    <div className={styles.notice} role="status">
      <div className={styles.text}>
        <strong>Not everything that was kept could be read at this start.</strong>
        {problems.map((problem) => (
          <p key={problem}>{problem}</p>
        ))}
      </div>
      <Button onClick={dismiss}>Understood</Button>
    </div>
  );
}
