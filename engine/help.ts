/** What `--help` prints: every option of the engine's process and the environment variable it reads. */
export const HELP = `Usage: npm run engine -- --data-dir=DIR [options]

An engine with Ironflow's wire contract, on SQLite, on 127.0.0.1 only. Prints one line, "ready {url, version}", when it
serves; its log goes to stderr. SIGTERM or Ctrl-C ends it in order: calls under way get a second, then their runs are
taken up at the next start.

  --data-dir=DIR          where the database and the first key lie; made when missing; one engine at a time
  --port=N[,N...]         ports in order of preference, 0 lets the system choose; default 9123,0
  --dev                   no key is needed; Host and Origin are checked all the same
  --env=NAME              the environment that is served; default "default"
  --push-timeout-ms=N     the longest that one call of a push function may take, however long its own timeoutMs is;
                          100 to 3600000, default 10000
  --lease-ms=N            how long a pull worker may be silent about a job before another one gets it;
                          100 to 3600000, default 90000
  --retention-days=N      forget runs at their end, events, dead letters and audit rows that are older; default: never
  --retention-count=N     keep the newest N runs at their end and N events, but everything of the last 30 days,
                          unless --retention-days is shorter; default: all
  --secrets-key-file=FILE the key that secrets are stored under, in a file like DIR/.ironflow_secrets_key.json, which is
                          made and used otherwise
  --exit-with-stdin       end when stdin ends: whoever started the engine is gone
  --help                  print this and end

npm run engine -- export --data-dir=DIR --file=FILE [--env=NAME]
npm run engine -- import --data-dir=DIR --file=FILE [--keep-running]

One environment as JSON lines, and back into an empty one; no engine may run in DIR. An import holds the runs that were
not at their end, unless --keep-running says that they go on nowhere else.

Without --dev a client sends "Authorization: Bearer KEY"; the first key is in DIR/.ironflow_bootstrap_key.json.
IRONFLOW_SIGNING_KEY in the environment signs every call of a push function (X-Ironflow-Signature).
IRONFLOW_MASTER_KEY in the environment (32 bytes, hex or base64) is the secrets' key instead of a file's. What is under
IRONFLOW_MASTER_KEY_PREVIOUS, or under the key of the folder's file, is stored anew under it at the start.
Exit codes: 0 ended in order, 1 could not start or stop, 2 a bad option.
`;
