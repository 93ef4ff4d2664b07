/** Whether arrays and objects in a JSON text are nested at most `max` deep. Reads the text once, parses nothing. */
export function isShallow(text: string, max: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 0x5c) i += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) {
      inString = true;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > max) return false;
    } else if (code === 0x7d || code === 0x5d) {
      depth -= 1;
    }
  }
  return true;
}
