/** What a token may be given, as a person chooses it. Reading is what every token has. */
export const GRANTS = [
  {
    permission: "mcp.call",
    title: "Read",
    text: "List and read runs, steps, events, functions, breakers and dead letters.",
    always: true,
  },
  {
    permission: "mcp.write",
    title: "Write",
    text: "Emit, invoke, resume, and ask you to approve what cannot be taken back. Only where the connection lets agents write.",
    always: false,
  },
  {
    permission: "mcp.terminal",
    title: "Terminals",
    text: "Run commands in visible terminal tabs, with your rights on this computer. A command can do what you can, imitating your clicks included.",
    always: false,
  },
  {
    permission: "mcp.audit",
    title: "Audit",
    text: "Read what every agent and you did here.",
    always: false,
  },
] as const;

/** A permission in a word or two; one that is not known, as it is written. */
export const grantTitle = (permission: string): string =>
  GRANTS.find((grant) => grant.permission === permission)?.title ?? permission;

/** Whether a permission lets its token run commands. */
export const grantsTerminals = (permission: string): boolean =>
  permission === "mcp.terminal" || permission === "mcp.*" || permission === "*";
