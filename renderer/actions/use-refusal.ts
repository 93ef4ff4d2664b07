import { currentOf } from "../store/apply-connections.ts";
import { useApp } from "../ui/use-app.ts";

/**
 * Why a button that changes something in the engine cannot be pressed now; undefined when it can.
 * @param place where the action's outcome is shown; without one nothing can be under way there
 */
export function useRefusal(place?: string): string | undefined {
  const busy = useApp((state) => place !== undefined && state.actions[place]?.phase === "under_way");
  const mayWrite = useApp((state) => currentOf(state)?.person_may_write === true);
  if (!mayWrite) return "This connection is read-only";
  return busy ? "Something is under way already" : undefined;
}
