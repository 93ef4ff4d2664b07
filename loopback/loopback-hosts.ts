/** How a URL's `hostname` names this machine itself: what goes there leaves it by no network. */
export const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);
