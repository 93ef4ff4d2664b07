import type { Progress } from "./agent-server.ts";

const EVERY_MS = 5_000;
const MESSAGE = "Waiting for the person to answer in Ironbridge";

/** Tells a caller that asked for progress that the person is being asked, at once and every few seconds. */
export async function whileWaiting<T>(
  answer: Promise<T>,
  onProgress: ((progress: Progress) => void) | undefined,
  everyMs = EVERY_MS,
): Promise<T> {
  if (onProgress === undefined) return answer;
  let progress = 0;
  const tell = () => onProgress({ progress: (progress += 1), message: MESSAGE });
  tell();
  const timer = setInterval(tell, everyMs);
  try {
    return await answer;
  } finally {
    clearInterval(timer);
  }
}
