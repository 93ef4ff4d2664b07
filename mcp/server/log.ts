/** One line on stderr: stdout belongs to the protocol. */
export function log(message: string): void {
  process.stderr.write(`ironbridge-mcp: ${message.replaceAll(/\s*\n\s*/g, " | ")}\n`);
}
