/** What opens an engine, the app or its terminals. Only the app itself gets it: packages run scripts when they are installed. */
const SECRETS = ["IRONFLOW_API_KEY", "IRONBRIDGE_TOKEN", "IRONFLOW_TERMINAL_BRIDGE_TOKEN"];

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function withoutSecrets(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !SECRETS.includes(name)));
}
