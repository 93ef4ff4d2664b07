/**
 * Takes the key of a remote engine out of the environment, so that no child inherits it by accident: the one that needs
 * it gets it from here.
 */
export function takeApiKey(env: NodeJS.ProcessEnv): string | undefined {
  const key = env["IRONFLOW_API_KEY"];
  delete env["IRONFLOW_API_KEY"];
  return key === undefined || key === "" ? undefined : key;
}
