import { connect } from "node:net";

/** Sends bytes that a well-behaved client would not, and gives back the status line's code. */
export function rawStatus(url: string, lines: readonly string[], body = ""): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.on("connect", () => socket.write([...lines, "", body].join("\r\n")));
    socket.on("data", (part: Buffer) => {
      text += part.toString("latin1");
      const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
      if (status === undefined) return;
      socket.destroy();
      resolve(Number(status));
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`no answer: ${text}`)));
  });
}
