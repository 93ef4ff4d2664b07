import { useEffect, useState } from "react";
import { INERT_MS } from "../../electron/contract/consent.ts";

/**
 * True for `INERT_MS` after a question (or more of one) was shown or the window got the focus: a click that was meant for something else
 * must not answer. Main keeps the same rule; this is how it looks. `round` starts the progress anew.
 */
export function useInert(shown: string): { readonly inert: boolean; readonly round: number } {
  const [round, setRound] = useState(0);
  const [over, setOver] = useState<string | null>(null);
  const key = `${shown} ${round}`;
  useEffect(() => {
    const again = () => setRound((before) => before + 1);
    window.addEventListener("focus", again);
    return () => window.removeEventListener("focus", again);
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => setOver(key), INERT_MS);
    return () => clearTimeout(timer);
  }, [key]);
  return { inert: over !== key, round };
}
