/**
 * Ours, secrets among them; what Electron and Node would obey in the bridge itself; and how the app was started, which is
 * not the person's session.
 */
const NOT_THE_PERSONS =
  /^(IRONBRIDGE_.*|IRONFLOW_API_KEY|IRONFLOW_TERMINAL_BRIDGE_TOKEN|ELECTRON_.*|NODE_OPTIONS|NODE_CHANNEL_.*|npm_.*|INIT_CWD)$/;

/**
 * The environment of the person's desktop session, from which their login shell starts: ssh and gpg agents, input method,
 * proxies. It is what terminals are for; no other child of ours gets it.
 */
export function desktopEnvironment(
  from: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(from))
    if (value !== undefined && !NOT_THE_PERSONS.test(name)) env[name] = value;
  return env;
}
